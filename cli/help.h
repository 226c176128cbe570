/* SPDX-License-Identifier: BSD-2-Clause */
/* help.h: what petal help prints, for people, for man and for shells. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* Topics that petal help explains beside the commands. */
struct topic {
    const char *name, *summary;
    const char *text;
    const char *(*make)(void);  /* makes the text, if there is none */
};

extern const struct topic help_topics[];    /* ends with a row without a name */

const char *help_topic_text(const struct topic *topic);

void help_man(void);        /* the manual page, as troff */
void help_bash(void);       /* completions */
void help_zsh(void);
void help_fish(void);

#endif
