/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.h: the module API of Redis (6.2 or later) and Valkey (8 or later).
 *
 * The server gives a module one function, which finds all others by name.  This file
 * declares the names, constants and structures of that API as far as we use them, so that
 * one petal.so loads in all of these servers.  Functions in SERVER_WANTED are optional:
 * their pointers are NULL in servers that lack them.
 */
#ifndef REDIS_SERVER_H
#define REDIS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RedisModuleCtx RedisModuleCtx;
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleKey RedisModuleKey;
typedef struct RedisModuleType RedisModuleType;
typedef struct RedisModuleIO RedisModuleIO;
typedef struct RedisModuleDigest RedisModuleDigest;
typedef struct RedisModuleInfoCtx RedisModuleInfoCtx;
typedef struct RedisModuleServerInfoData RedisModuleServerInfoData;
typedef struct RedisModuleDefragCtx RedisModuleDefragCtx;
typedef struct RedisModuleCommand RedisModuleCommand;
typedef struct RedisModuleBlockedClient RedisModuleBlockedClient;
typedef struct RedisModuleEvent { uint64_t id, version; } RedisModuleEvent;

typedef int  RedisModuleCmdFunc(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
typedef void RedisModuleInfoFunc(RedisModuleInfoCtx *ctx, int for_crash_report);
typedef void RedisModuleTimerProc(RedisModuleCtx *ctx, void *data);
typedef void RedisModuleEventCallback(RedisModuleCtx *ctx, RedisModuleEvent event,
                                      uint64_t what, void *data);

typedef void RedisModuleFreeFunc(RedisModuleCtx *ctx, void *data);
typedef void RedisModuleDisconnectFunc(RedisModuleCtx *ctx, RedisModuleBlockedClient *client);

enum { REDISMODULE_OK = 0, REDISMODULE_ERR = 1 };

enum { /* RedisModule_OpenKey() */
    REDISMODULE_READ  = 1 << 0,
    REDISMODULE_WRITE = 1 << 1,
    REDISMODULE_OPEN_QUIETLY = 1 << 16 | 1 << 17 | 1 << 18  /* not as if a client used it */
};

enum { REDISMODULE_KEYTYPE_EMPTY = 0 };

enum { /* RedisModule_SetModuleOptions() */
    REDISMODULE_OPTIONS_HANDLE_IO_ERRORS           = 1 << 0,
    REDISMODULE_OPTIONS_NO_IMPLICIT_SIGNAL_MODIFIED = 1 << 1,
    REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD     = 1 << 2,
    VALKEYMODULE_OPTIONS_HANDLE_ATOMIC_SLOT_MIGRATION = 1 << 5
};

enum { /* RedisModule_GetContextFlags() */
    REDISMODULE_CTX_FLAGS_LUA           = 1 << 0,
    REDISMODULE_CTX_FLAGS_MULTI         = 1 << 1,
    REDISMODULE_CTX_FLAGS_SLAVE         = 1 << 3,
    REDISMODULE_CTX_FLAGS_REPLICATED    = 1 << 12,  /* the command is from the master */
    REDISMODULE_CTX_FLAGS_LOADING       = 1 << 13,  /* reading an RDB or AOF file */
    REDISMODULE_CTX_FLAGS_ASYNC_LOADING = 1 << 23,  /* same, while serving old data */
    REDISMODULE_CTX_FLAGS_DENY_BLOCKING = 1 << 21,
    REDISMODULE_CTX_FLAGS_RESP3         = 1 << 22
};

enum { REDISMODULE_NOTIFY_MODULE = 1 << 13 };   /* keyspace events of class d */

enum {
    REDISMODULE_CONFIG_DEFAULT    = 0,
    REDISMODULE_CONFIG_MEMORY     = 1 << 7,     /* accepts units: 1gb */
    REDISMODULE_CONFIG_UNPREFIXED = 1 << 9      /* Redis 8 */
};

enum { REDISMODULE_EVENT_FLUSHDB = 2 };

/* The data of that event. */
typedef struct RedisModuleFlushInfo {
    uint64_t version;
    int32_t  sync, db;          /* -1: all databases */
} RedisModuleFlushInfo;

enum { /* how a command uses a key, for ACLs */
    REDISMODULE_CMD_KEY_READ    = 1 << 0 | 1 << 4,          /* reads and returns it */
    REDISMODULE_CMD_KEY_CHANGED = 1 << 1 | 1 << 5 | 1 << 6  /* reads, updates, creates it */
};

enum { REDISMODULE_AUX_AFTER_RDB = 1 << 1 };

/* Version 5.  Older servers read only the fields that they know. */
typedef struct RedisModuleTypeMethods {
    uint64_t version;
    void  *(*rdb_load)(RedisModuleIO *io, int version);
    void   (*rdb_save)(RedisModuleIO *io, void *value);
    void   (*aof_rewrite)(RedisModuleIO *io, RedisModuleString *key, void *value);
    size_t (*mem_usage)(const void *value);
    void   (*digest)(RedisModuleDigest *digest, void *value);
    void   (*free)(void *value);
    int    (*aux_load)(RedisModuleIO *io, int version, int when);
    void   (*aux_save)(RedisModuleIO *io, int when);
    int      aux_save_triggers;
    size_t (*free_effort)(RedisModuleString *key, const void *value);
    void   (*unlink)(RedisModuleString *key, const void *value);
    void  *(*copy)(RedisModuleString *from, RedisModuleString *to, const void *value);
    int    (*defrag)(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value);
    void   (*unused[4])(void);                          /* since Redis 7.0 */
    void   (*aux_save2)(RedisModuleIO *io, int when);   /* since 7.2 */
} RedisModuleTypeMethods;

enum syntax_type {          /* RedisModuleCommandArg.type */
    SYNTAX_STRING = 0, SYNTAX_INTEGER = 1, SYNTAX_DOUBLE = 2, SYNTAX_KEY = 3,
    SYNTAX_TOKEN  = 6,      /* a word that is typed as it is */
    SYNTAX_ONEOF  = 7,      /* this and the next: see subargs */
    SYNTAX_BLOCK  = 8
};

enum { SYNTAX_OPTIONAL = 1 << 0, SYNTAX_MULTIPLE = 1 << 1 };    /* flags */

/* An argument of a command.  A list of them ends with a NULL name. */
typedef struct RedisModuleCommandArg {
    const char *name;
    int         type, key_spec_index;
    const char *token, *summary, *since;
    int         flags;
    const char *deprecated_since;
    struct RedisModuleCommandArg *subargs;
    const char *display_text;
} RedisModuleCommandArg;

/* The entry of a command in COMMAND DOCS, as far as we fill it in. */
typedef struct RedisModuleCommandInfo {
    const struct RedisModuleCommandInfoVersion {
        int    version;
        size_t history_len, key_spec_len, arg_len;  /* of one element; we use only args */
    } *version;
    const char *summary, *complexity, *since;
    const void *history;
    const char *tips;
    int         arity;          /* -n means at least n */
    const void *key_specs;
    const RedisModuleCommandArg *args;
} RedisModuleCommandInfo;

#define ERROR_WRONGTYPE "WRONGTYPE Operation against a key holding the wrong kind of value"

/* NEED(return type, name, parameters) */
#define SERVER_NEEDED(NEED)                                                               \
    NEED(void, SetModuleAttribs, (RedisModuleCtx *, const char *name, int ver, int api))   \
    NEED(int, IsModuleNameBusy, (const char *name))                                       \
    NEED(void, SetModuleOptions, (RedisModuleCtx *, int options))                         \
    NEED(int, CreateCommand, (RedisModuleCtx *, const char *name, RedisModuleCmdFunc *,   \
                              const char *flags, int first, int last, int step))          \
    NEED(RedisModuleType *, CreateDataType, (RedisModuleCtx *, const char *name, int ver, \
                                             RedisModuleTypeMethods *))                   \
    NEED(int, RegisterInfoFunc, (RedisModuleCtx *, RedisModuleInfoFunc *))                \
    NEED(int, SubscribeToServerEvent, (RedisModuleCtx *, RedisModuleEvent,                \
                                       RedisModuleEventCallback *))                       \
    NEED(void, Log, (RedisModuleCtx *, const char *level, const char *format, ...))       \
    NEED(int, GetContextFlags, (RedisModuleCtx *))                                        \
    NEED(int, GetSelectedDb, (RedisModuleCtx *))                                          \
    NEED(int, SelectDb, (RedisModuleCtx *, int db))                                       \
    /* memory */                                                                          \
    NEED(void *, Alloc, (size_t len))                                                     \
    NEED(void *, Calloc, (size_t n, size_t len))                                          \
    NEED(void *, Realloc, (void *, size_t len))                                           \
    NEED(void, Free, (void *))                                                            \
    NEED(void *, PoolAlloc, (RedisModuleCtx *, size_t len))                               \
    NEED(size_t, MallocSize, (void *))                                                    \
    NEED(RedisModuleServerInfoData *, GetServerInfo, (RedisModuleCtx *, const char *section)) \
    NEED(void, FreeServerInfo, (RedisModuleCtx *, RedisModuleServerInfoData *))           \
    NEED(unsigned long long, ServerInfoGetFieldUnsigned,                                  \
         (RedisModuleServerInfoData *, const char *field, int *error))                    \
    /* strings */                                                                         \
    NEED(RedisModuleString *, CreateString, (RedisModuleCtx *, const char *, size_t len)) \
    NEED(void, FreeString, (RedisModuleCtx *, RedisModuleString *))                       \
    NEED(void, RetainString, (RedisModuleCtx *, RedisModuleString *))                     \
    NEED(const char *, StringPtrLen, (const RedisModuleString *, size_t *len))            \
    NEED(int, StringToLongLong, (const RedisModuleString *, long long *))                 \
    NEED(int, StringToDouble, (const RedisModuleString *, double *))                      \
    /* keys */                                                                            \
    NEED(RedisModuleKey *, OpenKey, (RedisModuleCtx *, RedisModuleString *name, int mode)) \
    NEED(void, CloseKey, (RedisModuleKey *))                                              \
    NEED(int, KeyType, (RedisModuleKey *))                                                \
    NEED(RedisModuleType *, ModuleTypeGetType, (RedisModuleKey *))                        \
    NEED(void *, ModuleTypeGetValue, (RedisModuleKey *))                                  \
    NEED(int, ModuleTypeSetValue, (RedisModuleKey *, RedisModuleType *, void *value))     \
    NEED(int, ModuleTypeReplaceValue, (RedisModuleKey *, RedisModuleType *, void *value,  \
                                       void **old))                                       \
    NEED(int, SignalModifiedKey, (RedisModuleCtx *, RedisModuleString *name))             \
    NEED(int, NotifyKeyspaceEvent, (RedisModuleCtx *, int type, const char *event,        \
                                    RedisModuleString *name))                             \
    NEED(int, IsKeysPositionRequest, (RedisModuleCtx *))                                  \
    NEED(void, KeyAtPos, (RedisModuleCtx *, int position))                                \
    /* replies */                                                                         \
    NEED(int, WrongArity, (RedisModuleCtx *))                                             \
    NEED(int, ReplyWithError, (RedisModuleCtx *, const char *error))                      \
    NEED(int, ReplyWithSimpleString, (RedisModuleCtx *, const char *))                    \
    NEED(int, ReplyWithLongLong, (RedisModuleCtx *, long long))                           \
    NEED(int, ReplyWithStringBuffer, (RedisModuleCtx *, const char *, size_t len))        \
    NEED(int, ReplyWithArray, (RedisModuleCtx *, long n))                                 \
    NEED(int, ReplyWithNull, (RedisModuleCtx *))                                          \
    /* clients that wait */                                                               \
    NEED(RedisModuleBlockedClient *, BlockClient,                                         \
         (RedisModuleCtx *, RedisModuleCmdFunc *reply, RedisModuleCmdFunc *timeout,       \
          RedisModuleFreeFunc *, long long timeout_ms))                                   \
    NEED(int, UnblockClient, (RedisModuleBlockedClient *, void *data))                    \
    NEED(void *, GetBlockedClientPrivateData, (RedisModuleCtx *))                         \
    NEED(void, SetDisconnectCallback, (RedisModuleBlockedClient *,                        \
                                       RedisModuleDisconnectFunc *))                      \
    NEED(RedisModuleCtx *, GetThreadSafeContext, (RedisModuleBlockedClient *))            \
    NEED(void, FreeThreadSafeContext, (RedisModuleCtx *))                                 \
    /* replicas */                                                                        \
    NEED(int, Replicate, (RedisModuleCtx *, const char *command, const char *format, ...)) \
    NEED(int, ReplicateVerbatim, (RedisModuleCtx *))                                      \
    /* files */                                                                           \
    NEED(void, SaveUnsigned, (RedisModuleIO *, uint64_t))                                 \
    NEED(uint64_t, LoadUnsigned, (RedisModuleIO *))                                       \
    NEED(void, SaveDouble, (RedisModuleIO *, double))                                     \
    NEED(double, LoadDouble, (RedisModuleIO *))                                           \
    NEED(void, SaveStringBuffer, (RedisModuleIO *, const char *, size_t len))             \
    NEED(char *, LoadStringBuffer, (RedisModuleIO *, size_t *len))                        \
    NEED(int, IsIOError, (RedisModuleIO *))                                               \
    NEED(void, LogIOError, (RedisModuleIO *, const char *level, const char *format, ...)) \
    NEED(RedisModuleCtx *, GetContextFromIO, (RedisModuleIO *))                           \
    NEED(void, EmitAOF, (RedisModuleIO *, const char *command, const char *format, ...))  \
    /* other */                                                                           \
    NEED(void, DigestAddStringBuffer, (RedisModuleDigest *, const char *, size_t len))    \
    NEED(void, DigestEndSequence, (RedisModuleDigest *))                                  \
    NEED(int, InfoAddSection, (RedisModuleInfoCtx *, const char *name))                   \
    NEED(int, InfoAddFieldULongLong, (RedisModuleInfoCtx *, const char *name,             \
                                      unsigned long long))                                \
    NEED(void *, DefragAlloc, (RedisModuleDefragCtx *, void *))                           \
    NEED(long long, Milliseconds, (void))                                                 \
    NEED(uint64_t, CreateTimer, (RedisModuleCtx *, long long ms, RedisModuleTimerProc *,  \
                                 void *data))

/* Optional functions: since Redis 7.0, except for the last two (7.2 and 7.4). */
#define SERVER_WANTED(WANT)                                                               \
    WANT(const char *, GetCurrentCommandName, (RedisModuleCtx *))                         \
    WANT(int, AvoidReplicaTraffic, (void))                                                \
    WANT(void *, TryAlloc, (size_t len))                                                  \
    WANT(void *, TryCalloc, (size_t n, size_t len))                                       \
    WANT(void, KeyAtPosWithFlags, (RedisModuleCtx *, int position, int flags))            \
    WANT(int, ReplyWithBool, (RedisModuleCtx *, int))                                     \
    WANT(int, ReplyWithMap, (RedisModuleCtx *, long n))                                   \
    WANT(int, RegisterNumericConfig,                                                      \
         (RedisModuleCtx *, const char *name, long long value, unsigned flags,            \
          long long least, long long most, long long (*get)(const char *, void *),        \
          int (*set)(const char *, long long, void *, RedisModuleString **error),         \
          int (*apply)(RedisModuleCtx *, void *, RedisModuleString **), void *data))      \
    WANT(int, RegisterBoolConfig,                                                         \
         (RedisModuleCtx *, const char *name, int value, unsigned flags,                  \
          int (*get)(const char *, void *),                                               \
          int (*set)(const char *, int, void *, RedisModuleString **error),               \
          int (*apply)(RedisModuleCtx *, void *, RedisModuleString **), void *data))      \
    WANT(int, RegisterStringConfig,                                                       \
         (RedisModuleCtx *, const char *name, const char *value, unsigned flags,          \
          RedisModuleString *(*get)(const char *, void *),                                \
          int (*set)(const char *, RedisModuleString *, void *, RedisModuleString **),    \
          int (*apply)(RedisModuleCtx *, void *, RedisModuleString **), void *data))      \
    WANT(int, LoadConfigs, (RedisModuleCtx *))                                            \
    WANT(RedisModuleCommand *, GetCommand, (RedisModuleCtx *, const char *name))          \
    WANT(int, SetCommandInfo, (RedisModuleCommand *, const RedisModuleCommandInfo *))     \
    WANT(int, SetCommandACLCategories, (RedisModuleCommand *, const char *categories))    \
    WANT(int, AddACLCategory, (RedisModuleCtx *, const char *name))

#define SERVER_DECLARE(returns, name, takes) extern returns(*RedisModule_##name) takes;
SERVER_NEEDED(SERVER_DECLARE)
SERVER_WANTED(SERVER_DECLARE)
#undef SERVER_DECLARE

/* Finds all functions.  Returns the name of a missing one that is needed, or NULL. */
const char *server_find(RedisModuleCtx *ctx);

/* Is this server Valkey? */
bool server_is_valkey(void);

/* Can a module register settings under names without the prefix "bf."?  (Redis 8) */
bool server_has_plain_settings(void);

#endif
