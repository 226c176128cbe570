/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sets.c: exact sets, to compare filters with.
 *
 * Each structure is as small and simple as in a textbook:
 *
 *   linear list     the keys one after another; a lookup walks past half or all of them;
 *   balanced tree   Andersson's: a binary tree in which a level is one node, or two side by
 *                   side, maintained by two rotations on the way back from an insertion;
 *   hash table      with chaining: as many chains as keys, rounded up to a power of two,
 *                   selected by the hash function of petal's filters.
 *
 * Every key has its own node, which contains its bytes.  Sizes are the bytes requested from
 * malloc(), without its overhead, so the real sizes are larger.
 *
 *   Andersson: "Balanced search trees made simple", 1993.
 */
#include "sets.h"

#include "print.h"

#include <stdlib.h>
#include <string.h>

static void *sets_memory(size_t len)
{
    void *p = calloc(1, len);
    if (!p)
        fail_memory();
    return p;
}

/* ---- A linked list of keys: the linear list, or one chain of the table ---- */

struct link {
    struct link *next;
    size_t len;
    char key[];
};

static struct link *link_push(struct link *first, const petal_key *key)
{
    struct link *link = sets_memory(sizeof *link + key->len);
    link->next = first;
    link->len = key->len;
    memcpy(link->key, key->data, key->len);
    return link;
}

static bool link_find(const struct link *link, const petal_key *key)
{
    for (; link; link = link->next)
        if (link->len == key->len && memcmp(link->key, key->data, key->len) == 0)
            return true;
    return false;
}

static void link_drop(struct link *link)
{
    while (link) {
        struct link *next = link->next;
        free(link);
        link = next;
    }
}

/* ---- The linear list ---- */

struct list {
    struct link *first;
    uint64_t bytes;
};

static void *list_make(size_t n)
{
    (void)n;
    struct list *list = sets_memory(sizeof *list);
    list->bytes = sizeof *list;
    return list;
}

static bool list_add(void *set, const petal_key *key)
{
    struct list *list = set;
    list->first = link_push(list->first, key);
    list->bytes += sizeof(struct link) + key->len;
    return true;
}

static bool list_contains(const void *set, const petal_key *key)
{
    return link_find(((const struct list *)set)->first, key);
}

static uint64_t list_bytes(const void *set)
{
    return ((const struct list *)set)->bytes;
}

static void list_drop(void *set)
{
    link_drop(((struct list *)set)->first);
    free(set);
}

const struct set_kind set_list = { "linear list", "O(n)",     list_make, list_add,
                                   list_contains, list_bytes, list_drop };

/* ---- The balanced tree ---- */

struct node {
    struct node *left, *right;
    uint32_t level; /* 1 for a leaf */
    uint32_t len;
    char key[];
};

struct tree {
    struct node *root;
    uint64_t bytes;
    bool grew;
};

static void *tree_make(size_t n)
{
    (void)n;
    struct tree *tree = sets_memory(sizeof *tree);
    tree->bytes = sizeof *tree;
    return tree;
}

static int node_compare(const petal_key *key, const struct node *node)
{
    const size_t len = key->len < node->len ? key->len : node->len;
    const int order = memcmp(key->data, node->key, len);
    return order ? order : (key->len > node->len) - (key->len < node->len);
}

/* A neighbour on the same level must be on the right, not on the left. */
static struct node *node_skew(struct node *node)
{
    struct node *left = node->left;
    if (!left || left->level != node->level)
        return node;
    node->left = left->right;
    left->right = node;
    return left;
}

/* If three nodes are on one level, the middle one moves up. */
static struct node *node_split(struct node *node)
{
    struct node *right = node->right;
    if (!right || !right->right || right->right->level != node->level)
        return node;
    node->right = right->left;
    right->left = node;
    right->level++;
    return right;
}

static struct node *node_add(struct tree *tree, struct node *node, const petal_key *key)
{
    if (!node) {
        node = sets_memory(sizeof *node + key->len);
        node->level = 1;
        node->len = (uint32_t)key->len; /* no line is longer than 16 MiB */
        memcpy(node->key, key->data, key->len);
        tree->bytes += sizeof *node + key->len;
        tree->grew = true;
        return node;
    }
    const int order = node_compare(key, node);
    if (order < 0)
        node->left = node_add(tree, node->left, key);
    else if (order > 0)
        node->right = node_add(tree, node->right, key);
    return node_split(node_skew(node));
}

static bool tree_add(void *set, const petal_key *key)
{
    struct tree *tree = set;
    tree->grew = false;
    tree->root = node_add(tree, tree->root, key);
    return tree->grew;
}

static bool tree_contains(const void *set, const petal_key *key)
{
    const struct node *node = ((const struct tree *)set)->root;
    while (node) {
        const int order = node_compare(key, node);
        if (order == 0)
            return true;
        node = order < 0 ? node->left : node->right;
    }
    return false;
}

static uint64_t tree_bytes(const void *set)
{
    return ((const struct tree *)set)->bytes;
}

static void node_drop(struct node *node)
{
    if (!node)
        return;
    node_drop(node->left);
    node_drop(node->right);
    free(node);
}

static void tree_drop(void *set)
{
    node_drop(((struct tree *)set)->root);
    free(set);
}

const struct set_kind set_tree = { "balanced tree", "O(log n)", tree_make, tree_add,
                                   tree_contains,   tree_bytes, tree_drop };

/* ---- The hash table ---- */

struct table {
    petal_filter *hasher; /* only for its hash function; not counted */
    size_t chains_n;      /* a power of two */
    uint64_t bytes;
    struct link **chains;
};

static void *table_make(size_t n)
{
    struct table *table = sets_memory(sizeof *table);
    const int rc = petal_new(&(petal_options){ .capacity = 1 }, &table->hasher);
    if (rc < 0)
        fail("%s", petal_strerror(rc));
    table->chains_n = 1;
    while (table->chains_n < n)
        table->chains_n *= 2;
    table->chains = sets_memory(table->chains_n * sizeof *table->chains);
    table->bytes = sizeof *table + table->chains_n * sizeof *table->chains;
    return table;
}

static struct link **table_chain(const struct table *table, const petal_key *key)
{
    const uint64_t hash = petal_hash(table->hasher, key->data, key->len);
    return &table->chains[hash & (table->chains_n - 1)];
}

static bool table_add(void *set, const petal_key *key)
{
    struct table *table = set;
    struct link **chain = table_chain(table, key);
    if (link_find(*chain, key))
        return false;
    *chain = link_push(*chain, key);
    table->bytes += sizeof(struct link) + key->len;
    return true;
}

static bool table_contains(const void *set, const petal_key *key)
{
    return link_find(*table_chain(set, key), key);
}

static uint64_t table_bytes(const void *set)
{
    return ((const struct table *)set)->bytes;
}

static void table_drop(void *set)
{
    struct table *table = set;
    for (size_t i = 0; i < table->chains_n; i++)
        link_drop(table->chains[i]);
    free(table->chains);
    petal_free(table->hasher);
    free(table);
}

const struct set_kind set_table = { "hash table",   "O(1)",      table_make, table_add,
                                    table_contains, table_bytes, table_drop };
