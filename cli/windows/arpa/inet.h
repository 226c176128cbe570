/* SPDX-License-Identifier: BSD-2-Clause */
/* inet.h: inet_pton() and inet_ntop(), which Windows has in its sockets. */
#include <winsock2.h>
#include <ws2tcpip.h>
