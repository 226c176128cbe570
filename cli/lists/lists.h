/* SPDX-License-Identifier: BSD-2-Clause */
/* lists.h: the formats of lists.
 *
 * Each format has its own file, which fills in one struct list.  lists.c has the table of
 * them, and recognizes the format of a file. */
#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include "select.h"

struct list {
    const char *name;           /* for --list */
    const char *what;           /* in a sentence: "a hosts file" */
    enum holds  holds;

    /* Is this line, which is neither blank nor a comment, surely of this format?  NULL if
     * only the whole file can tell. */
    bool      (*is)(struct span line);

    /* Finds the keys in a line.  NULL for tables and JSON. */
    void      (*take)(struct batch *batch, struct span line);

    bool        is_table, is_json;
    bool        is_document;    /* JSON that does not have one document per line */
};

extern const struct list list_plain, list_domains, list_hosts, list_adblock, list_dnsmasq,
    list_unbound, list_rpz, list_ip, list_csv, list_jsonl, list_json;

/* NULL if there is no such format. */
const struct list *list_named(const char *name);
const struct list *list_number(size_t i);

/* ", hosts, domains ..." */
const char *lists_names(void);

/* Recognizes the format of a file by its start, and says what it is. */
const struct list *lists_look(struct origin *origin, struct span start, enum holds holds);

/* Says so if a list whose lines are used as they are has a format that --form could read. */
void lists_hint(struct origin *origin, struct span start);

/* Finds the keys in a line by its own syntax, or failing that by the format of the file. */
void lists_take(struct batch *batch, struct span line, enum holds holds);

/* Finds the keys in a JSON document by the usual names of members.  Returns false if it is not
 * valid JSON. */
bool lists_search(struct batch *batch, struct span text, enum holds holds);

/* The usual names of columns and members that have keys, most likely first.  The entries of a
 * table may have a type as well. */
const struct span *lists_columns(enum holds holds, size_t *n);
bool lists_is_type_column(struct span name);

/* Is this a type of entries, such as "domain"?  Can entries under this name have any type, as
 * under "value"? */
bool lists_is_type(struct span text);
bool lists_is_any_type(struct span name);

/* Is the text surely a key: a URL, a domain or an address? */
bool lists_looks_like_key(enum holds holds, struct span text);

/* What keys with this name are; and what keys a JSON document seems to have. */
enum holds lists_name_holds(struct span name);
enum holds lists_text_holds(struct span start);

/* Is it a number, or a bracket, of a SOA record that has several lines? */
bool list_is_soa_part(struct span line);

/* The name of a response policy zone that $ORIGIN at its start gives, copied; or empty. */
struct span lists_zone(struct span start);

/* Takes an entry of a table whose type is given, such as "ip-dst" or "domain". */
void lists_take_typed(struct batch *batch, struct span type, struct span text);

/* The same for a STIX pattern: [url:value = 'http://evil.example/']. */
bool lists_is_stix(struct span text);
void lists_take_stix(struct batch *batch, struct span pattern);

/* ---- For the formats ---- */

/* Skips a blank line or a comment, which starts with one of these characters, and returns true.
 * Otherwise trims the line. */
bool list_skip(struct batch *batch, struct span *line, const char *comments);

/* Is it a comment of two slashes and a blank?  Without the blank it may be a URL. */
bool list_is_slashed(struct span line);

/* Cuts off a comment that follows a blank: "name  # why". */
struct span list_uncomment(struct span line, const char *comments);

/* Takes a domain or URL: *.domain, .domain and defanged text included.  What no URL can match
 * is skipped. */
void list_take_name(struct batch *batch, struct span text);

/* Takes an address, a prefix or a range. */
void list_take_address(struct batch *batch, struct span text);

/* The address without port, brackets and zone.  Anything else is returned unchanged. */
struct span list_bare_address(struct batch *batch, struct span text);

/* The text without the quotes around it. */
struct span list_unquote(struct span text);

/* hxxp://evil[.]example becomes http://evil.example. */
struct span list_refang(struct batch *batch, struct span text);

/* Is it an address, or an address and a prefix length? */
bool list_is_address(struct span text);

/* Is it a host name with a dot, as lists have it? */
bool list_is_domain(struct span text);

/* Is it a URL that every format but AdBlock's reads as it is?  Most lines are, and need no
 * further look. */
bool list_is_plain_url(struct span text);

#endif
