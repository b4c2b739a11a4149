/* Whether a console shows what is typed, for Windows: system.c. */
#ifndef TOPK_WINDOWS_TERMIOS_H
#define TOPK_WINDOWS_TERMIOS_H

#define ECHO      4u /* as ENABLE_ECHO_INPUT */
#define TCSAFLUSH 0

typedef unsigned long tcflag_t;

struct termios {
    tcflag_t c_lflag;
};

int windows_tcgetattr(int fd, struct termios *modes);
int windows_tcsetattr(int fd, int when, const struct termios *modes);

#define tcgetattr windows_tcgetattr
#define tcsetattr windows_tcsetattr

#endif
