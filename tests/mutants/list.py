# SPDX-License-Identifier: BSD-2-Clause
"""list.py: the list of mutants: small changes to the code, and for each the test that must
fail.

run.py explains how they are used.  A row is

    mutant(id, file, text to replace, replacement, test, what it breaks)

The text must occur exactly once in the file.  The test is the most direct one, by its name
in CTest.  Other tests may fail too.  A change that no test can detect is not listed as a
mutant.  If a check is redundant, the code says why it exists.  The end of this file lists
what no test can detect, and why.
"""

MUTANTS = []


def mutant(name, file, old, new, test, breaks, preset="test"):
    MUTANTS.append(
        {
            "id": name,
            "file": file,
            "old": old,
            "new": new,
            "test": test,
            "breaks": breaks,
            "preset": preset,
        }
    )


# fmt: off

# ---- The image and its validator ----

IMAGE = "src/core/image.c"
mutant("image-stages-max", IMAGE,
       "stages <= ops->stages_max",
       "stages <= ops->stages_max + 1u",
       "forged_test", "a file may have one stage more than the limit")
mutant("image-size-max", "src/core/image_memory.c",
       "    if (room > SIZE_MAX)\n"
       "        return PETAL_E_MEMORY;\n",
       "",
       "narrow", "on 32-bit machines an image exceeds its memory", preset="i686")
mutant("image-header-sum", IMAGE,
       "    if (load_le64(h + AT_HEADER_SUM) != petal__checksum(h, AT_HEADER_SUM, 0))\n"
       "        return PETAL_E_CORRUPT;\n",
       "",
       "forged_test", "a damaged header is trusted")
mutant("image-header-sum-later", IMAGE,
       "    if (load_le64(f->image + AT_HEADER_SUM) != petal__checksum(f->image, "
       "AT_HEADER_SUM, 0))\n"
       "        return false;\n",
       "",
       "forged_test", "a header that changed while in use is not verified")
mutant("image-features", IMAGE,
       "load_le32(h + AT_FEATURES) != 0 || ",
       "",
       "image_test", "a file that needs a later version is opened")
mutant("image-length", IMAGE,
       "    if (load_le64(h + AT_LENGTH) != f->shape.image_bytes)\n"
       "        return PETAL_E_CORRUPT;\n",
       "",
       "image_test", "a file may claim any length")
mutant("image-length-at-hand", IMAGE,
       "    if (f->shape.image_bytes != len)\n",
       "    if (f->shape.image_bytes > len)\n",
       "image_test", "extra bytes after an image are ignored")
mutant("image-padding", IMAGE,
       "image_is_zero(f->cells + whole, petal__cells_len(&f->shape) - whole)",
       "true",
       "image_test", "two different files are the same filter")
mutant("image-chunk-seed", IMAGE,
       "(size_t)(remaining < CHUNK_LEN ? remaining : CHUNK_LEN), chunk)",
       "(size_t)(remaining < CHUNK_LEN ? remaining : CHUNK_LEN), 0 * chunk)",
       "image_test", "exchanged chunks are not detected")
mutant("image-no-such-class", IMAGE,
       "!(has_parents && f->form->is_class(class_id))",
       "!has_parents",
       "image_test", "a file may claim classes that do not exist")
mutant("image-seal-damaged", IMAGE,
       "    if (f->ops->consistent && !(f->ops->takes & PETAL__CHECKS_CHANGES) &&\n"
       "        !f->ops->consistent(f))\n",
       "    if (false)\n",
       "image_test", "saving a damaged filter writes a file that cannot be opened")

mutant("image-sections-sum", IMAGE,
       "return sum == image_sections_sum(f->sections.bytes, len) &&",
       "return (sum || true) &&",
       "image_test", "damaged notes are shown")
mutant("image-sections-limit", IMAGE,
       "sections_len <= SECTIONS_MAX &&",
       "sections_len <= SECTIONS_MAX + 8 &&",
       "image_test", "a file may have longer sections than the limit")
mutant("image-sections-moved", "src/core/image_memory.c",
       "    image_memory_move_part(&f->sections.bytes, move, context);\n",
       "",
       "relocate_test", "the memory of notes is not accounted for")
mutant("sections-order", "src/core/sections.c",
       "type <= last || ",
       "type < last || ",
       "image_test", "a file may have two sections of notes")
mutant("sections-padding", "src/core/sections.c",
       "!section_is_padded(data, len)",
       "!section_is_padded(data, 0)",
       "image_test", "two different files have the same notes")
mutant("sections-control", "src/core/sections.c",
       " || c < 0x20 || (c >= 0x7f && c < 0xa0)",
       "",
       "image_test", "a file can control the terminal that shows its notes")
mutant("image-id-secret", IMAGE,
       "    if (f->shape.hash == PETAL_HASH_KEYED)\n"
       "        memset(header + AT_SEED,",
       "    if (false)\n"
       "        memset(header + AT_SEED,",
       "notes_test", "the id says something about a secret seed")
mutant("image-sections-unsealed", "src/core/image_memory.c",
       "    *f = changed;\n    petal__changed(f);\n",
       "    *f = changed;\n",
       "notes_test", "a note that was set last is not saved")
mutant("notes-attach", "src/api/notes.c",
       "    if (filter->ops->attach)\n",
       "    if (false)\n",
       "notes_test", "a filter looks into memory that it has freed")
mutant("clear-notes", "src/api/make.c",
       "filter->stages, filter->sections.len);",
       "filter->stages, 0);",
       "notes_test", "a cleared filter is saved without room for its notes")
mutant("scalable-notes", "src/kinds/scalable/stages.c",
       "petal__image_measure(&grown, f->stages + 1, f->sections.len);",
       "petal__image_measure(&grown, f->stages + 1, 0);",
       "notes_test", "a filter that has grown is saved without room for its notes")
mutant("ribbon-notes", "src/kinds/ribbon/build.c",
       "petal__image_measure(&f.shape, f.stages, f.sections.len);",
       "petal__image_measure(&f.shape, f.stages, 0);",
       "notes_test", "a ribbon is built without room for its notes")
mutant("sections-others", "src/core/sections.c",
       "    const uint32_t others = s->len - old_first;\n",
       "    const uint32_t others = 0 * (s->len - old_first);\n",
       "notes_test", "setting a note loses the sections of a later version")

# ---- Files ----

FILE = "src/os/posix_file.c"
mutant("file-cloexec", FILE,
       "flags | O_CLOEXEC",
       "flags",
       "secrets_test", "children inherit open files")
mutant("file-mode-replacing", FILE,
       "target->exists ? 0600 : 0666",
       "target->exists ? 0644 : 0666",
       "secrets_test", "others can open a file with a secret before it has its mode")
mutant("file-mode-new", FILE,
       "target->exists ? 0600 : 0666",
       "target->exists ? 0600 : 0664",
       "secrets_test", "the mode of a new file ignores the umask")
mutant("file-group-bits", FILE,
       "        mode &= ~(mode_t)(S_IRWXG | S_ISGID);",
       "        mode = mode;",
       "secrets_test", "a different group may read the file")
mutant("file-group-setgid", FILE,
       "S_IRWXG | S_ISGID",
       "S_IRWXG",
       "secrets_test", "the file keeps its setgid bit for another group")
mutant("file-group-alone", FILE,
       " && fchown(fd, (uid_t)-1, group) < 0",
       "",
       "secrets_test", "the group is lost although only the owner cannot be kept")
mutant("file-sync-before-rename", FILE,
       "    if (fsync(fd) < 0)\n"
       "        return file_done(fd, PETAL_E_SYNC);\n",
       "",
       "calls_test", "after a power failure an empty file has replaced the old one")
mutant("file-sync-folder", FILE,
       "fsync(target->folder_fd) < 0",
       "target->folder_fd < 0",
       "calls_test", "after a power failure the old file is back")
mutant("file-temporary-gone", FILE,
       "        unlink(temporary);\n",
       "",
       "calls_test", "a failed save leaves a file behind")
mutant("file-write-short", FILE,
       "        bytes += wrote;\n"
       "        len -= (size_t)wrote;",
       "        bytes += wrote;\n"
       "        len = 0;",
       "calls_test", "a short write is treated as complete")
mutant("file-size-max", "src/api/file.c",
       "file.len > SIZE_MAX",
       "false",
       "narrow", "on 32-bit machines a part of a file is treated as all of it", preset="i686")

# ---- Merging ----

MERGE = "src/api/merge.c"
mutant("merge-seed-second", MERGE,
       " &&\n"
       "           a->seed[1] == b->seed[1]",
       "",
       "merge_test", "filters with different secrets are merged")
mutant("merge-hashes", MERGE,
       " && a->hashes == b->hashes",
       "",
       "merge_test", "filters with different probes are merged, and keys are lost")
mutant("merge-counter-bits", MERGE,
       "a->counter_bits == b->counter_bits && ",
       "",
       "merge_test", "counters of different widths are merged")
mutant("merge-insert-only", MERGE,
       " && a->insert_only == b->insert_only",
       "",
       "merge_test", "keys are removed from a filter that stores only minimal counts")
mutant("merge-form", MERGE,
       "a->form == b->form && ",
       "",
       "merge_test", "keys of another form are lost")
mutant("merge-which", MERGE,
       "how == PETAL__UNION ? petal__bits_or : petal__bits_and",
       "how != PETAL__UNION ? petal__bits_or : petal__bits_and",
       "contract_test", "a union gives an intersection")
mutant("merge-classes", MERGE,
       "into->classes[i] | mask[i]",
       "into->classes[i]",
       "forms_test", "matches of the other filter's keys are missed")

# ---- Keys and their classes ----

HASHES = "src/api/hashes.c"
mutant("keys-below-zero", HASHES,
       "filter->keys -= filter->keys > 0;",
       "filter->keys--;",
       "limits_test", "an empty filter has 2^64 - 1 keys")
mutant("classes-told-copied", "src/api/make.c",
       "    f->classes_known = filter->classes_known;\n",
       "",
       "parents_test", "a copy assumes that all classes occur")
mutant("classes-told-cleared", "src/api/make.c",
       "    filter->classes_known = false;\n",
       "",
       "parents_test", "a cleared filter misses matches of hashes")
mutant("classes-told-merged", MERGE,
       "    into->classes_known = false; /* the classes of keys added later are unknown again */\n",
       "",
       "parents_test", "a merged filter misses matches of hashes")
mutant("classes-told-sealed", HASHES,
       "    filter->classes_known = true;\n"
       "    petal__changed(filter);",
       "    filter->classes_known = true;",
       "parents_test", "classes are missing in the file")
mutant("classes-of-a-hash", HASHES,
       "    if (rc >= 0 && filter->form && !filter->classes_known)\n"
       "        petal__all_classes(filter);\n",
       "",
       "parents_test", "matches of a hash are missed")
mutant("classes-of-a-known-hash", HASHES,
       "rc >= 0 && filter->form",
       "rc > 0 && filter->form",
       "parents_test", "matches of a hash that was already present are missed")
mutant("classes-of-hashes-told", HASHES,
       "filter->form && !filter->classes_known",
       "filter->form",
       "parents_test", "a filter with known classes looks up all classes")
mutant("classes-all-sealed", HASHES,
       "        if (f->form->is_class(class_id) && bit_set(f->classes, class_id))\n"
       "            petal__changed(f);",
       "        if (f->form->is_class(class_id))\n"
       "            bit_set(f->classes, class_id);",
       "parents_test", "classes of hashes are missing in the file")
mutant("classes-of-a-known-key", "src/api/use.c",
       "    if (rc >= 0)\n"
       "        use_class(f, class_id);",
       "    if (rc > 0)\n"
       "        use_class(f, class_id);",
       "parents_test", "matches of a key that was already present are missed")
mutant("classes-key-sealed", "src/api/use.c",
       "    if (class_id != NO_CLASS && bit_set(f->classes, class_id))\n"
       "        petal__changed(f);",
       "    if (class_id != NO_CLASS)\n"
       "        bit_set(f->classes, class_id);",
       "parents_test", "the class of a key that was already present is missing in the file")
COPY = ("    rc = filter->image || filter->scattered ? make_copy_image(f, filter)\n"
        "                                            : f->ops->copy(f, filter);\n"
        "    if (rc < 0) {\n"
        "        make_copy_drop(f);\n"
        "        return rc;\n"
        "    }\n"
        "    make_copy_ready(f, filter);\n")
mutant("classes-after-cells", "src/api/make.c",
       COPY,
       "    uint8_t classes[FORM_MASK_LEN];\n"
       "    petal__classes_of(filter, classes);\n" + COPY +
       "    memcpy(f->classes, classes, sizeof classes);\n",
       "parents_test", "a copy has cells without their classes")
mutant("clear-classes", "src/api/make.c",
       "    memset(filter->classes, 0, sizeof filter->classes);\n",
       "",
       "parents_test", "a cleared filter looks up classes that it does not have")
mutant("plan-classes", "src/api/plan.c",
       "    o.fpr /= s->match_lookups;\n",
       "",
       "forms_test", "the rate of a match is thirty times the planned rate")

# ---- Sealing ----

mutant("seal-after-add", "src/api/api.h",
       "    if (effects & REPEATS_CHANGE)\n        petal__changed(f);\n",
       "",
       "image_test", "keys added after sealing are not in the checksum")
mutant("seal-after-batch", "src/api/many.c",
       "    if (f->repeats & REPEATS_CHANGE ? n : added)\n        petal__changed(f);\n",
       "",
       "sealed_test", "keys added by a batch after sealing are not in the checksum")
mutant("seal-after-renewal", "src/api/make.c",
       "f->ops->abilities & PETAL_CAN_RENEW ? REPEATS_CHANGE : 0",
       "0",
       "sealed_test", "changes by adding a key again are not in the checksum")
mutant("seal-after-remove", HASHES,
       "        filter->keys -= filter->keys > 0;\n"
       "        petal__changed(filter);",
       "        filter->keys -= filter->keys > 0;",
       "sealed_test", "removals after sealing are not in the checksum")
mutant("seal-after-merge", MERGE,
       "    petal__changed(into);\n",
       "",
       "sealed_test", "merges after sealing are not in the checksum")
mutant("seal-after-clear", "src/api/make.c",
       "    filter->estimated = false;\n"
       "    petal__changed(filter);\n",
       "    filter->estimated = false;\n",
       "sealed_test", "a cleared filter is saved with its old contents")
mutant("seal-kept", "src/api/api.h",
       "    if (effects & REPEATS_CHANGE)\n",
       "",
       "sealed_test", "adding a key again breaks the seal without need")
mutant("seal-after-some", "src/api/many.c",
       "    if (added)\n        petal__changed(f);\n",
       "",
       "sealed_test", "keys of a batch that were added in one go are not in the checksum")
mutant("seal-after-count", "src/core/filter.h",
       "        f->unchanged = added ? 0 : f->unchanged;\n",
       "        f->keys += 0;\n",
       "sealed_test", "keys added by the kind itself are not in the checksum")
mutant("seal-kept-count", "src/core/filter.h",
       "f->unchanged = added ? 0 : f->unchanged;",
       "f->unchanged = 0;",
       "sealed_test", "a key that the kind already has breaks the seal without need")
mutant("batch-keys", "src/api/many.c",
       "f->repeats & REPEATS_COUNT ? n : added;",
       "added;",
       "contract_test", "a batch counts fewer keys than single calls")
mutant("shared-counted", "src/api/use.c",
       "    api_lower(&f->counted);\n",
       "",
       "contract_test", "an uncounted number of keys is reported as exact")
mutant("import-padding", "src/api/keep.c",
       "    if (!petal__image_padded(f)) {",
       "    if (false) {",
       "kinds_test", "cells are imported whose file cannot be opened")
mutant("readonly-remove", HASHES,
       "    if (!filter->writable)\n"
       "        return PETAL_E_READONLY;\n"
       "    const int rc = filter->ops->remove",
       "    const int rc = filter->ops->remove",
       "contract_test", "a view is written to")

# ---- Options ----

OPTIONS = "src/api/options.c"
mutant("options-per-cent", OPTIONS,
       "d.exponent -= 2",
       "d.exponent -= 3",
       "options_test", "1% is read as 0.1%")
mutant("options-overflow", OPTIONS,
       "        if (d->mantissa > (UINT64_MAX - digit) / 10)\n"
       "            return false;\n",
       "",
       "options_test", "a number that is too large overflows to another one")
mutant("options-bytes", OPTIONS,
       "        shift += 3;",
       "        shift += 2;",
       "options_test", "1 kB is read as 4,000 bits")
mutant("options-all-or-none", OPTIONS,
       "    petal_options o = *options;\n"
       "    for (;;) {",
       "    petal_options o = *options;\n"
       "    options->capacity = 0;\n"
       "    for (;;) {",
       "options_test", "rejected options change others")

# ---- Sizes and formulas ----

SIZING = "src/kinds/sizing.c"
mutant("sizing-promise", SIZING,
       "    if (s->tried.rate > s->fpr)\n"
       "        return false;",
       "    if (s->tried.rate > 1.02 * s->fpr)\n"
       "        return false;",
       "plan_test", "filters have a rate 2% above the planned one")
mutant("sizing-least", SIZING,
       "while (b.high - b.low > 1)",
       "while (b.high - b.low > 64)",
       "plan_test", "filters are larger than necessary")
mutant("sizing-hash-floor", SIZING,
       "(double)t.n / TWO_64 > fpr / 100",
       "(double)t.n / TWO_64 > fpr",
       "plan_test", "a rate is planned that a 64-bit hash cannot reach")
mutant("math-occupancy", "src/core/math.c",
       "chance[j] = j / m;",
       "chance[j] = (j - 1) / m;",
       "math_test", "the exact rate is wrong")
mutant("sip-rounds", "src/core/hash.c",
       "hash_sip(1, 3, seed, key, len)",
       "hash_sip(1, 2, seed, key, len)",
       "hash_test", "the keyed hash has too few rounds")
mutant("decimal-minus", HASHES,
       "return 1 + petal__digits(0 - (uint64_t)key, 10, text + 1);",
       "return petal__digits(0 - (uint64_t)key, 10, text);",
       "hash_test", "-5 and 5 are the same key")

# ---- Kernels ----

mutant("bitmap-range", "src/kinds/bitmap.c",
       "index < f->shape.bits ? bit_set(f->cells, index) : PETAL_E_RANGE",
       "index <= f->shape.bits ? bit_set(f->cells, index) : PETAL_E_RANGE",
       "kinds_test", "a bitmap accepts one integer too many")
mutant("probes-rows", "src/kinds/probes.h",
       "added |= bit_set(cells, p.step * i + place_below(p.below, x));",
       "added |= bit_set(cells, place_below(p.below, x));",
       "probes_test", "all probes fall into the first row")
mutant("probes-rounds", "src/kinds/probes.h",
       "for (uint64_t i = 1; i < p.k && remaining > 0; i++)",
       "for (uint64_t i = 2; i < p.k && remaining > 0; i++)",
       "batch_test", "batches on large filters use too few probes")
mutant("blocked-second", "src/kinds/blocked/blocked.c",
       "p->i++ < 8 ? p->g : p->g2",
       "p->i++ < 9 ? p->g : p->g2",
       "kernels", "the ninth probe is the first again")
mutant("blocked-vector", "src/kinds/blocked/vector.h",
       "block_probes_unprobed(g, k - 8)",
       "block_probes_unprobed(g, k / 2)",
       "kernels", "the vector kernel sets other bits than the plain loop")
mutant("inline-few", "include/petal_inline.h",
       "return petal_inline_block(r, block, g, true, row);",
       "return petal_inline_block(r, block, g, false, NULL);",
       "inline", "an inlined lookup expects eight probes of a key that has fewer")
mutant("inline-form", "src/api/reader.c",
       "f->form || ",
       "",
       "inline", "an inlined lookup does not normalize its key")
mutant("inline-copy", "src/api/reader.c",
       "size < sizeof made ? size : sizeof made",
       "sizeof made",
       "inline", "a library with a longer reader overwrites memory of the program")
mutant("split-salt", "src/kinds/split/split.c",
       "0x5C6BFB31",
       "0x5C6BFB33",
       "kinds_test", "Parquet readers do not find our keys")
mutant("counting-vector", "src/kinds/counting/vector.h",
       "(value != 15)",
       "(value != 14)",
       "kernels", "4-bit counters stop one below their maximum")
mutant("regions-shares", "src/bulk/regions.c",
       "n / d->threads * thread + (n % d->threads) * thread / d->threads",
       "n / d->threads * thread",
       "batch_test", "keys that do not divide evenly among threads are skipped")

# ---- Counters ----

CELLS = "src/kinds/counting/cells.h"
mutant("counting-raise-top", CELLS,
       "value < top && (value == least",
       "value <= top && (value == least",
       "limits_test", "a full counter is zero after one more key")
mutant("counting-raise-early", CELLS,
       "value < top && (value == least",
       "value < top - 1 && (value == least",
       "limits_test", "a counter never reaches its maximum")
mutant("counting-lower-top", CELLS,
       "value - (value < cell_top(w))",
       "value - (value > 0)",
       "limits_test", "a counter that has lost count is lowered, and a key is lost")
mutant("counting-lower-early", CELLS,
       "value - (value < cell_top(w))",
       "value - (value < cell_top(w) - 1)",
       "limits_test", "a counter one below its maximum is not lowered")
mutant("counting-top-32", CELLS,
       "return UINT32_MAX >> (32 - w);",
       "return (1u << (w < 32 ? w : 31)) - 1;",
       "limits_test", "32-bit counters have a maximum of 31 bits")
mutant("counting-top-16", CELLS,
       "return UINT32_MAX >> (32 - w);",
       "return UINT32_MAX >> (32 - (w == 16 ? 15 : w));",
       "limits_test", "16-bit counters have a maximum of 15 bits")
mutant("counting-union-top", "src/kinds/counting/counting.c",
       "a > top - b ? top : a + b",
       "(a + b) & top",
       "limits_test", "counters of a union overflow, and keys are lost")
mutant("counting-union-keys", "src/kinds/counting/counting.c",
       "other->keys < room ? other->keys : room",
       "room ? other->keys : 0",
       "limits_test", "the number of keys of a union overflows")

# ---- Growth ----

SCALABLE = "src/kinds/scalable/plan.c"
mutant("scalable-fits-bits", SCALABLE,
       "shape->bits > 0 && shape->bits <= PETAL__BITS_MAX",
       "shape->bits > 0",
       "limits_test", "a shape may have any number of bits")
mutant("scalable-fits-capacity", SCALABLE,
       " && shape->capacity <= CAPACITY_MAX",
       "",
       "limits_test", "a shape may have any capacity")
mutant("scalable-fits-first", SCALABLE,
       "shape->capacity_first <= CAPACITY_MAX && ",
       "",
       "limits_test", "a first stage may have any capacity")
mutant("scalable-fits-max", SCALABLE,
       "shape->capacity_max <= CAPACITY_MAX && ",
       "",
       "limits_test", "a shape may have any maximum")
mutant("scalable-plan-max", SCALABLE,
       " || want->capacity_max > CAPACITY_MAX",
       "",
       "limits_test", "a maximum is accepted that overflows")
mutant("scalable-plan-capacity", SCALABLE,
       "want->capacity > CAPACITY_MAX || ",
       "",
       "limits_test", "a capacity is rejected with the wrong error")
mutant("scalable-next-bits", SCALABLE,
       "size.bits > PETAL__BITS_MAX - shape->bits",
       "size.bits >= PETAL__BITS_MAX - shape->bits",
       "limits_test", "growth ends one stage early")
mutant("scalable-next-bits-gone", SCALABLE,
       "size.bits > PETAL__BITS_MAX - shape->bits",
       "size.bits > PETAL__BITS_MAX",
       "limits_test", "a filter grows until its file cannot be opened")
mutant("scalable-next-capacity", SCALABLE,
       "share.capacity > CAPACITY_MAX - shape->capacity",
       "share.capacity > CAPACITY_MAX",
       "limits_test", "the capacity of all stages overflows")
mutant("scalable-next-stages", SCALABLE,
       "stages == SCALABLE_STAGES ||",
       "stages > SCALABLE_STAGES ||",
       "limits_test", "a filter grows until its file cannot be opened")
mutant("scalable-first-enough", SCALABLE,
       "first.rate < RATE_MIN &&\n",
       "first.rate < RATE_MIN / 2 &&\n",
       "limits_test", "a first stage is too small for its share of the rate")
mutant("scalable-first-max", SCALABLE,
       "want->capacity_max < FIRST_CAPACITY",
       "want->capacity_max <= FIRST_CAPACITY / 2",
       "limits_test", "a first stage is larger than the maximum capacity")
mutant("scalable-last", SCALABLE,
       "rest > first ? rest : first",
       "rest",
       "limits_test", "a last stage is smaller than the first")
mutant("scalable-room", SCALABLE,
       "(uint64_t)((double)stage.capacity / (1 - stage.rate)) + 1",
       "stage.capacity",
       "limits_test", "a full stage exceeds its rate")
mutant("scalable-divided", SCALABLE,
       "    if (stage.capacity >= plan_rule.cells_max)",
       "    if (false)",
       "plan_test", "a capacity overflows, and a stage of one key is planned for it")
mutant("scalable-share", SCALABLE,
       "share * rate * SIX_BY_PI_2 / (j * j)",
       "share * rate * SIX_BY_PI_2 / j",
       "golden", "the rates of all stages add up to more than the planned rate")
mutant("scalable-full", "src/kinds/scalable/scalable.c",
       "if (newest.stage.keys >= newest.stage.capacity) {",
       "if (newest.stage.keys > newest.stage.capacity) {",
       "golden", "a stage accepts one key too many")
STAGES = "src/kinds/scalable/stages.c"
mutant("scalable-plan-once", STAGES,
       "next->stage == f->stages",
       "next->stage != 0",
       "limits_test", "all stages are as large as the second")
mutant("scalable-sound-blocks", STAGES,
       "stage.blocks > BLOCKS_MAX || ",
       "",
       "forged_test", "a file causes reads far past its end")
mutant("scalable-sound-capacity", STAGES,
       "stage.capacity > stage.blocks * KEYS_PER_BLOCK",
       "false",
       "image_test", "a file causes arbitrarily large allocations")
mutant("scalable-move-front", STAGES,
       "        **at = piece;\n",
       "",
       "relocate_test", "a stage that was moved has lost what is in front of its cells")
mutant("scalable-attach-scattered", STAGES,
       "    if (!f->scattered)\n",
       "",
       "relocate_test", "a filter that was moved has lost its further stages")
mutant("scalable-clear-room", STAGES,
       "f->scattered = f->shape.image_bytes > f->block_len;",
       "(void)0;",
       "relocate_test", "the notes of a cleared filter are written past its image")
mutant("scalable-limit", STAGES,
       "petal__image_may_grow(f, &grown) < 0 || ",
       "",
       "limits_test", "a filter grows beyond the limit that its host has set")

# ---- Ribbons: reading ----

RIBBON = "src/kinds/ribbon/ribbon.c"
SIZE = "src/kinds/ribbon/size.c"
mutant("ribbon-layer-empty", RIBBON,
       " ||\n"
       "            (keys == 0 && i > 0)",
       "",
       "forged_test", "a file causes reads past its end")
mutant("ribbon-layer-keys-max", RIBBON,
       "keys > RIBBON_KEYS_MAX || ",
       "",
       "forged_test", "the size of a layer overflows")
mutant("ribbon-layer-last", RIBBON,
       "(keys <= RIBBON_LAST) != (i + 1 == f->stages)",
       "(keys <= RIBBON_LAST && i + 1 != f->stages)",
       "forged_test", "a last layer bumps keys")
mutant("ribbon-attempt", RIBBON,
       "load_le16(tail + AT_ATTEMPT) >= RIBBON_TRIES",
       "load_le16(tail + AT_ATTEMPT) > RIBBON_TRIES",
       "forged_test", "a file may have an attempt past the last")
mutant("ribbon-base", RIBBON,
       "load_le16(tail + AT_BASE) >= RIBBON_BASES",
       "load_le16(tail + AT_BASE) > RIBBON_BASES",
       "forged_test", "a file may have a base past the last")
mutant("ribbon-counted", RIBBON,
       "f->counted && f->keys == keys",
       "f->keys == keys",
       "forged_test", "a ribbon may claim not to know its number of keys")
mutant("ribbon-keys", RIBBON,
       "f->counted && f->keys == keys",
       "f->counted",
       "forged_test", "the number of keys of a ribbon is not checked")
mutant("ribbon-capacity", RIBBON,
       "f->shape.capacity == (keys ? keys : 1)",
       "true",
       "image_test", "the capacity of a ribbon is not checked")
mutant("ribbon-tail-padding", RIBBON,
       "at < ribbon_tail_len(f->stages); at++",
       "at < ribbon_tail_len(f->stages) - 1; at++",
       "image_test", "two different files are the same ribbon")
mutant("ribbon-seeds", RIBBON,
       "(uint64_t)256 *",
       "(uint64_t)255 *",
       "ribbon_limits_test", "a last attempt has the seed of the next layer")

# ---- Ribbons: sizes ----

mutant("ribbon-allows", SIZE,
       "    if (n > RIBBON_KEYS_MAX)\n",
       "    if (false)\n",
       "ribbon_limits_test", "a ribbon is built that cannot be opened")
mutant("ribbon-capacity-max", SIZE,
       "high = RIBBON_KEYS_MAX + 1",
       "high = 2 * RIBBON_KEYS_MAX",
       "ribbon_limits_test", "a ribbon is planned that cannot be built")
mutant("ribbon-fits-capacity", SIZE,
       "shape->capacity <= RIBBON_KEYS_MAX &&",
       "shape->capacity > 0 &&",
       "ribbon_limits_test", "a shape is accepted that cannot be built")
mutant("ribbon-rate-of-many", SIZE,
       "    if (n > (double)RIBBON_KEYS_MAX)\n"
       "        return 1;\n",
       "",
       "ribbon_limits_test", "a rate is returned for an impossible ribbon")
mutant("ribbon-plan-max", SIZE,
       "    if (want->capacity > RIBBON_KEYS_MAX)",
       "    if (false)",
       "plan_test", "too many keys are rejected with the wrong error")
mutant("ribbon-bumped", SIZE,
       "keys / 1700 + 24",
       "keys / 1700",
       "ribbon_limits_test", "plans are one block too small")
mutant("ribbon-low", SIZE,
       "place_below(starts / 64 - 1,",
       "place_below(starts / 64,",
       "ribbon", "the rate is slightly above the requested one")

# ---- Ribbons: building ----

BUILD = "src/kinds/ribbon/build.c"
PARTS = "src/kinds/ribbon/parts.c"
SEGMENTS = "src/kinds/ribbon/segments.c"
mutant("build-zero", PARTS,
       "            zero |= hash == 0;\n",
       "",
       "ribbon_limits_test", "a duplicate hash of zero counts as two keys")
mutant("build-zero-first", PARTS,
       "bool zero = false;",
       "bool zero = true;",
       "ribbon_limits_test", "a hash of zero is dropped and not found")
mutant("build-table", PARTS,
       "petal__ribbon_arena_take(arena, 2 * most,",
       "petal__ribbon_arena_take(arena, most,",
       "ribbon_limits_test", "the table of duplicates is written past its end")
mutant("build-chunks-parts", PARTS,
       "(uint64_t)b->threads * b->current.n +",
       "(uint64_t)b->threads * b->current.n - 1 +",
       "ribbon_limits_test", "a part is written past the last chunk")
mutant("build-chunks-keys", PARTS,
       "(b->layer ? n / CHUNK_KEYS : 0)",
       "0 * n",
       "ribbon_limits_test", "bumped keys are written past the last chunk")
mutant("build-uneven", PARTS,
       "4 * (n / parts->n + PART_KEYS)",
       "4 * (n / parts->n)",
       "ribbon_limits_test", "uneven parts are assumed for few keys, and threads are not used")
mutant("build-uneven-share", PARTS,
       "4 * (n / parts->n + PART_KEYS)",
       "5 * (n / parts->n + PART_KEYS)",
       "ribbon_limits_test", "more memory is taken for repeats")
mutant("build-parts-overlap", SEGMENTS,
       "* b->current.n / all + 1;",
       "* b->current.n / all;",
       "ribbon_threads", "keys at the end of a gang are skipped")
mutant("build-bumped", "src/kinds/ribbon/solve.h",
       "    s->bumped += s->groups[next] - s->groups[lane->group];\n",
       "",
       "ribbon", "bumped keys are in no layer")
mutant("build-dropped", BUILD,
       "(b->repeats || petal__ribbon_parts_uneven(&b->current, b->f->keys))",
       "b->threads == 0",
       "ribbon_limits_test", "duplicates are never dropped")
mutant("build-stop-rest", PARTS,
       "            list_join(&all, *rest);\n",
       "",
       "ribbon_threads", "an interrupted build loses the keys that were not sorted yet")
mutant("build-stop-solve", BUILD,
       "return rc == PETAL_OK && b->stopped ? PETAL_E_INTERRUPTED : rc;",
       "return rc;",
       "ribbon_threads", "a filter is sealed although it was interrupted")

# ---- Forms ----

HOST = "src/forms/url/host.c"
URL = "src/forms/url/url.c"
ADDRESS = "src/forms/address.c"
IP = "src/forms/ip.c"
mutant("url-label-63", HOST,
       "if (n == LABEL_MAX)",
       "if (n == LABEL_MAX - 1)",
       "forms_limits_test", "a label of 63 letters is rejected")
mutant("url-label-64", HOST,
       "#define LABEL_MAX 63",
       "#define LABEL_MAX 64",
       "forms_limits_test", "a label of 64 letters is accepted")
mutant("url-number", HOST,
       " || *value > UINT32_MAX",
       "",
       "forms_limits_test", "2^64 + 1 is read as the address 0.0.0.1")
mutant("url-number-last", HOST,
       "            if (n >> (8 * (4 - i)))\n"
       "                return false;\n",
       "",
       "forms_limits_test", "a number that is too large becomes another address")
mutant("url-number-first", HOST,
       "        if (n > 255)\n"
       "            return false;\n",
       "",
       "forms_limits_test", "256.1 is read as the address 0.0.0.1")
mutant("url-scheme-empty", URL,
       "return n > 0 && p.len - n >= 3",
       "return p.len - n >= 3",
       "forms_limits_test", "an empty scheme is accepted")
mutant("url-scheme-digit", URL,
       "(n > 0 && (url_is_digit(p.at[n])",
       "((url_is_digit(p.at[n])",
       "forms_limits_test", "a scheme may begin with a digit")
mutant("url-scheme-escaped", URL,
       "has_scheme ? url_scheme(p) : 0",
       "url_scheme(p)",
       "forms_limits_test", "a scheme may be hidden in escapes")
mutant("url-dots", URL,
       "            while (n > 0 && --n > 0 && p[n - 1] != '/')\n"
       "                ;\n",
       "",
       "forms_test", "a/../b and b are different URLs")
mutant("url-unescape", URL,
       "        while (n >= 3 && p->at[n - 3] == '%'",
       "        if (n >= 3 && p->at[n - 3] == '%'",
       "forms_test", "an escape within an escape is not undone")
mutant("ip-prefix-4", IP,
       "slash && prefix > 32",
       "slash && prefix > 33",
       "forms_limits_test", "a 32-bit address may have a prefix of 33 bits")
mutant("ip-prefix-6", IP,
       "prefix > 128)",
       "prefix > 129)",
       "forms_limits_test", "a 128-bit address may have a prefix of 129 bits")
mutant("ip-prefix-mapped", IP,
       "prefix >= 96",
       "prefix > 96",
       "forms_limits_test", "::ffff:0:0/96 and 0.0.0.0/0 are different keys")
mutant("ip-prefix-digits", IP,
       "petal__decimal(&at, text + len, 3, &prefix)",
       "petal__decimal(&at, text + len, 30, &prefix)",
       "forms_limits_test", "a prefix of 2^32 + 32 bits is read as 32")
mutant("ip-byte", ADDRESS,
       "n > 255",
       "n > 256",
       "forms_limits_test", "1.2.3.256 is read as 1.2.3.0")
mutant("ip-groups", ADDRESS,
       "        if (out == 16)\n"
       "            return false;\n",
       "",
       "forms_limits_test", "a ninth group is written past the end")
mutant("ip-groups-dotted", ADDRESS,
       "out > 12 ||\n"
       "                ",
       "",
       "forms_limits_test", "a dotted IPv4 part is written past the end")
mutant("ip-gap", ADDRESS,
       "if (len > 14)",
       "if (len > 16)",
       "forms_limits_test", "a gap may stand for no groups")
mutant("ip-group-digits", ADDRESS,
       "*at - start < 4)",
       "*at - start < 5)",
       "forms_limits_test", "a group may have five digits")
mutant("ip-lookups-widest", IP,
       "(end = mask_end(mask, end)) > first_class;",
       "(end = mask_end(mask, end)) > first_class + 1;",
       "forms_limits_test", "the shortest prefix is never looked up")
mutant("ip-quick-zero", "src/forms/address.c",
       " && !zero_first;",
       " && !(zero_first && value > 255);",
       "quick", "an octal number in an address is read as a decimal one")
mutant("url-quick-slashes", "src/forms/url/scan.c",
       "    path->after_slash = slash >> 63;\n",
       "",
       "quick", "two slashes at the boundary of 64 bytes stay")
mutant("url-quick-escape", "src/forms/url/scan.c",
       "    return c != '%' && !url_is_plain(c);",
       "    return !url_is_plain(c);",
       "quick", "a percent sign that was escaped twice stays escaped")
mutant("url-quick-address", "src/forms/url/scan.c",
       "        return false; /* it may be an address */\n",
       "        return true;\n",
       "quick", "an address is taken for a name")
mutant("match-many-owner", "src/api/many.c",
       "            m->owner[m->n++] = (uint8_t)i;",
       "            m->owner[m->n++] = (uint8_t)(i ^ (j > 0));",
       "quick", "a parent that is found counts for the next key")
mutant("word-fold", "src/forms/unicode.c",
       "(c - row->from) % row->step",
       "false",
       "forms_limits_test", "small letters are folded to other letters")

# ---- The module ----

mutant("redis-held-oldest", "modules/redis/held.c",
       "    memmove(held_awake + 1, held_awake, place * sizeof *held_awake);\n",
       "    memmove(held_awake + 1, held_awake, 0);\n",
       "held_test", "values that are awake are lost")
mutant("redis-held-forget", "modules/redis/held.c",
       "    if (held_state(held) == AWAKE)\n        held_forget",
       "    if (held_state(held) == LARGE)\n        held_forget",
       "held_test", "a value that was freed is put to sleep")
mutant("redis-held-moved", "modules/redis/held.c",
       "        held_awake[place] = held;",
       "        held_awake[place] = held_awake[place];",
       "held_test", "a value that was moved in memory is put to sleep where it was")
mutant("redis-held-lock", "modules/redis/held.c",
       "    return held_state(held) == ASLEEP ? held_unpacked(held) : held->filter;",
       "    pthread_mutex_lock(&held_lock);\n"
       "    pthread_mutex_unlock(&held_lock);\n"
       "    return held_state(held) == ASLEEP ? held_unpacked(held) : held->filter;",
       "held_test", "a process that was forked to save the keys waits forever")
mutant("redis-room-least", "modules/redis/parts.c",
       "    if (room < ROOM_MIN)\n"
       "        room = ROOM_MIN;\n",
       "",
       "redis_petal", "the buffer of a load starts too small, and small chunks move it again and again")
mutant("redis-room-total", "modules/redis/parts.c",
       "    if (room > parts->total)\n"
       "        room = parts->total;\n",
       "",
       "redis_petal", "a load takes more memory than the filter will have")
mutant("redis-room-twice", "modules/redis/parts.c",
       "room = 2 * (",
       "room = 4 * (",
       "redis_petal", "a load takes four times the memory of its data")
mutant("redis-idle-never", "modules/redis/loads.c",
       "now - loads[i].touched_ms > IDLE_MS",
       "now < 0",
       "loads_test", "an abandoned load is never dropped")
mutant("redis-idle-ten-times", "modules/redis/loads.c",
       "#define IDLE_MS   120000",
       "#define IDLE_MS   1200000",
       "loads_test", "an abandoned load is dropped after twenty minutes instead of two")
mutant("redis-idle-at-once", "modules/redis/loads.c",
       "now - loads[i].touched_ms > IDLE_MS",
       "now >= 0",
       "loads_test", "a load that continues is dropped at the next tick")
mutant("redis-idle-touched", "modules/redis/loads.c",
       "    load->touched_ms = RedisModule_Milliseconds();\n",
       "",
       "loads_test", "a load that takes longer than two minutes is dropped although chunks arrive")
mutant("redis-idle-once", "modules/redis/loads.c",
       "        RedisModule_CreateTimer(ctx, TICK_MS, loads_tick, data);",
       "        (void)data, (void)ctx;",
       "loads_test", "the timer runs only once")
mutant("redis-idle-restored", "modules/redis/loads.c",
       "    if (good && !loads_ticking)\n",
       "    if (false)\n",
       "loads_test", "a load from a snapshot is never dropped unless another one starts")
mutant("redis-oldest", "modules/redis/loads.c",
       "l->touched_ms < oldest->touched_ms",
       "l->touched_ms > oldest->touched_ms",
       "loads_test", "if there are too many loads, the newest is dropped instead of the oldest")
mutant("redis-payload-limit", "modules/redis/type.c",
       "if (parts.total <= limit && run_load(",
       "if (run_load(",
       "redis_damage", "a payload that claims to exceed the limit is decompressed before it is refused")
mutant("redis-snapshot-db", "modules/redis/loads.c",
       " && db <= INT_MAX",
       "",
       "redis_damage", "a snapshot with a load in an impossible database is accepted")
mutant("redis-snapshot-many", "modules/redis/loads.c",
       " && n <= LOADS_MAX",
       "",
       "redis_damage", "a snapshot with too many loads is accepted")
mutant("redis-snapshot-length", "modules/redis/run.c",
       "                          part_len <= len - parts->len &&\n",
       "",
       "redis_damage", "a snapshot with more bytes of a load than its length is accepted")
mutant("redis-snapshot-beyond", "modules/redis/parts.c",
       "at != parts->len || len > parts->total - parts->len",
       "at != parts->len",
       "redis_damage", "a chunk that exceeds the total is written past the end of the buffer")
mutant("redis-bound", "modules/redis/loads.c",
       "2 * (uint64_t)settings_filter_max()",
       "4 * (uint64_t)settings_filter_max()",
       "redis_petal", "loads in progress take more than twice the limit")
mutant("redis-load-limit", "modules/redis/loads.c",
       "const bool large = total > filter_limit(ctx);",
       "const bool large = false;",
       "redis_damage", "a load that claims to exceed the limit is started")
mutant("redis-part-order", "modules/redis/parts.c",
       "at != parts->len || len",
       "at > parts->total || len",
       "redis_bf", "chunks may arrive in any order")
mutant("redis-flush-loads", "modules/redis/module.c",
       "    loads_clear(((const RedisModuleFlushInfo *)data)->db);\n",
       "    (void)data;\n",
       "redis_petal", "FLUSHALL does not drop loads in progress")
mutant("redis-merge-leak", "modules/redis/merge.c",
       "        petal_free(merged);\n",
       "",
       "redis_damage", "a merge that fails leaks its copy")
mutant("redis-free-effort", "modules/redis/type.c",
       "    return 1 + held_longest(value) / PAGE_LEN;",
       "    (void)value;\n"
       "    return 1;",
       "redis_keeping", "a large filter is freed while clients wait")
mutant("redis-replica-limit", "modules/redis/filter.c",
       "(REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING |",
       "(REDISMODULE_CTX_FLAGS_LOADING |",
       "redis_replicas", "a replica refuses filters that its master accepted")
mutant("redis-silent-loss", "modules/redis/reply.c",
       "    if (!reply_is_unread(ctx))\n",
       "    if (true)\n",
       "redis_aof", "a command in the AOF that cannot be applied is skipped")
mutant("redis-refused-before", "modules/redis/keys.c",
       "    if (result == FILTER_E_FULL)\n",
       "    if (false)\n",
       "redis_redisbloom", "a server ends because of an item that RedisBloom refused too")
mutant("redis-foreign-type", "modules/redis/filter.c",
       "filter_type_foreign && foreign_is(filter) ? filter_type_foreign : filter_type",
       "filter_type_foreign && foreign_is(filter) ? filter_type : filter_type",
       "redis_redisbloom", "filters of RedisBloom are saved in petal's format, so that RedisBloom cannot read them")
mutant("redis-foreign-links", "modules/redis/foreign.c",
       "        if (at < end)\n",
       "        if (at < end && i + 1 == dump->links)\n",
       "redis_redisbloom", "a chunk has bits of two links")
mutant("redis-foreign-numbers", "modules/redis/chunks.c",
       "before + number - 1",
       "number - 1",
       "redis_redisbloom", "the chunks of RedisBloom's dumps are put into the wrong place")
mutant("redis-low-rates", "modules/redis/bf.c",
       "while (options.fpr < RATE_MAX / 2 && !request_suits(&options))",
       "while (options.fpr < 0 && !request_suits(&options))",
       "redis_bf", "a filter with a very low rate stops growing at a few thousand items")
mutant("rdb-checksum", "cli/rdb/scan.c",
       "    return stored == computed ||",
       "    return stored == computed || true ||",
       "rdb_test", "a damaged RDB file is read as if it were sound")
mutant("rdb-expand", "cli/rdb/input.c",
       "distance > string->len - start || ",
       "distance > SIZE_MAX - start || ",
       "rdb_test", "a compressed string in an RDB file copies bytes from before it")

# ---- The extensions for SQL ----

mutant("sql-grow-mixed", "modules/sql/build.c",
       "const bool grows = petal_abilities",
       "const bool grows = false && petal_abilities",
       "sql_build", "hashes reach a filter that grows in ascending order, and it fills up at one end")
mutant("sql-merge-classes", "modules/sql/build.c",
       "    int rc = petal_add_classes(b->recorder, from->recorder);\n",
       "    int rc = PETAL_OK;\n",
       "sql_build", "after a merge, a match does not look up the parents of some keys")
mutant("sql-cancel-seal", "modules/sql/build.c",
       "b->n > CANCEL_KEYS ? sql_cancelled : NULL",
       "NULL",
       "sql_build", "a query cannot be cancelled while its filter is sealed")
mutant("sqlite-cancel", "modules/sqlite/aggregates.c",
       "return rc == SQLITE_INTERRUPT;",
       "return false;",
       "sqlite", "a query cannot be cancelled while its filter is made")
mutant("sqlite-utf-16", "modules/sqlite/values.c",
       "key->data = sqlite3_value_text(value);",
       "key->data = sqlite3_value_blob(value);",
       "sqlite", "in a database in UTF-16, texts are other keys")
mutant("sqlite-once", "modules/sqlite/functions.c",
       '{ "petal", 1, READS, functions_open }',
       '{ "petal", 1, SAVES, functions_open }',
       "sqlite", "a file is opened for every row")
mutant("sqlite-direct-only", "modules/sqlite/functions.c",
       "#define SAVES (SQLITE_UTF8 | SQLITE_DIRECTONLY)",
       "#define SAVES (SQLITE_UTF8)",
       "sqlite", "a view in a database from elsewhere can write files")

# ---- The command ----

mutant("cli-lock-replaced", "cli/filters.c",
       "mine.st_ino == there.st_ino",
       "mine.st_ino != 0",
       "cli_change", "a process that waited for a filter continues with the lock of the old file after it was replaced")
mutant("cli-lock-saved", "cli/seen.c",
       "        filter_lock(seen.path, FILTER_FAIL);\n",
       "",
       "cli_seen", "petal seen does not lock a filter that it saved meanwhile")
mutant("cli-lock-held", "cli/filters.c",
       "            if (filters_locked >= 0)\n"
       "                close(filters_locked);\n",
       "",
       "cli_seen", "every save leaks a lock and a descriptor")
mutant("cli-lock-add", "cli/add.c",
       "    filter_lock(files[0], FILTER_WAIT);\n",
       "",
       "cli_change", "two processes that add at the same time lose keys")
mutant("cli-lock-remove", "cli/remove.c",
       "    filter_lock(files[0], FILTER_WAIT);\n",
       "",
       "cli_change", "petal remove changes a filter that another petal is changing")
mutant("cli-lock-seen", "cli/seen.c",
       "    filter_lock(path, FILTER_FAIL); /* the other may run for days */\n",
       "",
       "cli_seen", "two petal seen processes use one filter and lose lines")
mutant("cli-lock-patience", "cli/seen.c",
       "filter_lock(path, FILTER_FAIL); /*",
       "filter_lock(path, FILTER_WAIT); /*",
       "cli_seen", "petal seen waits, perhaps for days, without saying why")
mutant("cli-seen-counts", "cli/seen.c",
       "seen.changed |= added > 0 || (n > 0 && seen.renews);",
       "seen.changed |= added > 0;",
       "cli_seen", "counts of repeated lines are not saved")
mutant("cli-seen-closed", "cli/seen.c",
       "    out_on_closed(seen_closed);\n",
       "    (void)seen_closed;\n",
       "cli_seen", "printed lines are forgotten when the output is closed")
mutant("cli-seen-signal", "cli/seen.c",
       "    seen_catch();\n",
       "    (void)seen_catch;\n",
       "cli_seen", "printed lines are forgotten when a signal ends the program")
mutant("cli-force", "cli/filters.c",
       "if (!force && lstat(path, &st) == 0)",
       "if (false)",
       "cli_build", "build replaces a filter without --force")
mutant("cli-insert-only", "cli/remove.c",
       "PETAL_CAN_REMOVE) || shape->insert_only)",
       "PETAL_CAN_REMOVE))",
       "cli_change", "remove changes an insert_only filter")

# ---- Untrusted bytes and shapes ----

mutant("tail-copy", "src/core/filter.h",
       "return f->tail_copy ? f->tail_copy : petal__cells_end(f);",
       "return petal__cells_end(f);",
       "overwritten_test", "an overwritten file causes reads at any address")
mutant("tail-copied", "src/api/make.c",
       "    if (from->tail_copy)\n"
       "        memcpy(petal__tail(f), from->tail_copy, f->ops->tail_len(f->stages));\n",
       "",
       "overwritten_test", "a copy uses bytes that were never validated")
mutant("shape-sound", "src/api/make.c",
       "f->image && f->ops->sound && !f->ops->sound(f)",
       "false",
       "plan_test", "a filter is created whose file cannot be opened")
mutant("shape-grown", "src/api/plan.c",
       "    if (!petal__image_shape_fits(shape, 1) || petal__has_grown(shape))\n"
       "        return PETAL_E_SHAPE;\n",
       "",
       "plan_test", "a shape of zeros causes a division by zero")
mutant("shape-grown-twice", "src/api/plan.c",
       " || petal__has_grown(shape))\n"
       "        return PETAL_E_SHAPE;\n"
       "    *grown = *shape;",
       ")\n"
       "        return PETAL_E_SHAPE;\n"
       "    *grown = *shape;",
       "plan_test", "stages are planned as if the later ones were the first")
mutant("shape-fpr", "src/api/plan.c",
       "    if (!petal__image_shape_fits(shape, 1))\n"
       "        return 1;\n",
       "",
       "plan_test", "a rate is computed for an invalid shape")
mutant("copy-padding", "src/api/make.c",
       "    petal__image_pad(f);",
       "    f->keys += 0;",
       "overwritten_test", "the file of a copy of changed bytes cannot be opened")
mutant("copy-sealed", "src/api/make.c",
       "f->sealed = from->writable && api_flag(&from->sealed);",
       "f->sealed = api_flag(&from->sealed);",
       "overwritten_test", "a copy of changed bytes has their checksums")
mutant("opened-shown", "src/core/image_memory.c",
       "    f->block = block;\n    f->release = image_memory_release;\n    f->writable = true;\n}\n",
       "    f->block = block;\n    f->release = NULL;\n    f->writable = true;\n}\n",
       "relocate_test", "the memory of an opened filter is neither visited nor freed")
mutant("sizing-halves", "src/kinds/sizing.c",
       "k = low + (t->k - low) / 2)",
       "k = t->k - 1)",
       "plan_test", "planning tries every k")
mutant("sizing-tried", "src/kinds/sizing.c",
       "if (s->tried.n != n || s->asked != cells)",
       "if (true)",
       "plan_test", "planning tries the same number of keys again and again")
mutant("loads-rates", "src/core/load_table.h",
       "1.23815888e-16f",
       "1.23815888e-12f",
       "load_table", "the rate of blocks is wrong for nine probes")
mutant("loads-window", "src/core/math.c",
       "p > 1e-17 * found",
       "p > 1e-3",
       "math_test", "the rate ignores heavily loaded blocks")
mutant("subsets-weight", "src/core/math.c",
       "sum += s->weight * exp(",
       "sum += (s->weight > 0 ? 1 : -1) * exp(",
       "math_test", "the rate of blocks is wrong for few probes")
mutant("sizing-leap", "src/kinds/sizing.c",
       "            b->low = b->high - distance;\n",
       "            b->low = b->high - 1;\n",
       "plan_test", "a search ends before it has found the smallest size")

# ---- Quotient filters ----

QUOTIENT = "src/kinds/quotient/"
mutant("quotient-stuck", QUOTIENT + "change.c",
       "    if (copies == 0 || copies >= t->copies_max)\n",
       "    if (copies == 0)\n",
       "quotient", "a fingerprint that has lost count is removed, with keys that share it")
mutant("quotient-unpack-valid", QUOTIENT + "pack.c",
       "!petal__table_valid(&t, &found) || found != keys",
       "(found = keys) != keys",
       "pack_test", "packed bytes are not validated")
mutant("quotient-unpack-length", QUOTIENT + "pack.c",
       "u.failed || u.at != u.end",
       "u.failed",
       "pack_test", "bytes after a packed filter are ignored")
mutant("quotient-once", QUOTIENT + "quotient.c",
       "    if (known && f->shape.insert_only)\n        return 0;\n",
       "",
       "quotient", "a key of an older stage is added again")
mutant("quotient-settled", QUOTIENT + "quotient.c",
       "if (quotient_is_settled(f, hash))",
       "if (quotient_is_settled(f, hash) && false)",
       "quotient", "a key that changes nothing makes the filter grow")
mutant("quotient-remove-first", QUOTIENT + "quotient.c",
       "    while (!removed && stage > 0) {",
       "    while (!removed && stage > 1) {",
       "quotient", "keys of the first stage cannot be removed")
mutant("quotient-moved-image", QUOTIENT + "quotient.c",
       "            t->cells = f->cells + ((uintptr_t)t->cells - (uintptr_t)q->image);",
       "            t->cells += 0;",
       "relocate_test", "tables point to where the image was")
mutant("quotient-limit", QUOTIENT + "grow.c",
       "    if (petal__image_may_grow(f, &grown) < 0)\n        return PETAL_E_MEMORY;\n",
       "    petal__image_may_grow(f, &grown);\n",
       "limits_test", "a filter grows beyond the limit of its host")
mutant("quotient-share", QUOTIENT + "plan.c",
       "{ 7, 3, 3, 2, 1 }",
       "{ 14, 6, 6, 4, 2 }",
       "plan_test", "the stages together have twice the rate")
mutant("keep-size-merge", "src/api/merge.c",
       "    into->estimated = false;\n",
       "",
       "merge_test", "the size after a merge is that before")
mutant("keep-size-shared", "src/api/use.c",
       "    api_lower(&f->estimated);\n",
       "",
       "merge_test", "keys added by several threads are missing from the size")

# ---- Numbers, UTF-16 and Parquet's footers ----

mutant("real-halfway", "src/forms/real.c",
       "(more || (kept & 1))",
       "((more && false) || (kept & 1))",
       "numbers_test", "a number just above the middle of two others is rounded down")
mutant("real-subnormal", "src/forms/real.c",
       "drop < f->least - exponent)",
       "drop < f->least - exponent - 1)",
       "numbers_test", "small numbers are rounded to a bit that they do not have")
mutant("real-zero", "src/forms/real.c",
       "significand > 0 && *bits < infinite",
       "*bits < infinite",
       "numbers_test", "numbers that are too small are the key 0")
mutant("integer-least", "src/forms/integer.c",
       "most + minus",
       "most",
       "numbers_test", "the smallest integer is rejected")
mutant("utf16-room", "src/forms/utf16.c",
       "n == 4 ? 4 : 2",
       "2",
       "numbers_test", "a pair of surrogates is written past the end")
mutant("thrift-list", "cli/parquet/thrift.c",
       "n > thrift_left(t) || n > UINT32_MAX",
       "n > UINT32_MAX",
       "parquet_test", "a list may claim any number of elements")
mutant("thrift-depth", "cli/parquet/thrift.c",
       "if (depth == 0)",
       "if (depth == INT32_MIN)",
       "parquet_test", "nested structures exhaust the stack")
mutant("footer-filter-end", "cli/parquet/footer.c",
       "chunk->filter_len > file_len - chunk->filter_at",
       "chunk->filter_len > file_len",
       "parquet_test", "a filter may end beyond the file")
mutant("footer-columns", "cli/parquet/footer.c",
       "p->chunks_n - group->first != p->columns_n",
       "p->chunks_n < group->first",
       "parquet_test", "a row group may lack columns")

# ---- What no test can detect, at least not on this machine ----
#
# src/api/hashes.c: the acquire fence in petal__classes_of().  x86 does not reorder loads,
# the emulators of other machines run on x86, and thread sanitizers do not follow fences.
# classes-after-cells tests the order of the reads in the code.  The fence makes other
# machines keep it.
#
# src/kinds/ribbon/build.c: the last of RIBBON_TRIES attempts in layer_last().  Few attempts
# fail, and later ones have four times the room.  No set of keys is known that fails 256
# times.  ribbon-attempt and ribbon-seeds test the purpose of the number.
#
# src/kinds/ribbon/build.c, parts.c and src/kinds/pending.c: other lengths that do not fit
# into 32 bits.  They would need more keys than the memory of such a machine can hold.
