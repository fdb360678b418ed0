/*
 * Preloaded into a process (LD_PRELOAD), keeps a shadow of one folder that holds only what was synced: what a power loss
 * leaves. power-loss.ts says how it is used and which file system is modelled.
 *
 * Nothing is kept in memory, so any number of processes share a shadow: a sync compares the file with its shadow and copies
 * what differs, under a lock of the shadow file, before it returns. The disk itself is not synced. Below the shadow:
 *
 *   root      link whose target is the id of the folder
 *   f/<id>    synced bytes of a file; an id is inode and time of birth
 *   d/<id>/   synced names of a folder: `=<name>`, a hard link to f/<id>, or a link to `d<id>` (folder) or `l<target>` (link)
 *   m/<id>    link whose target is mode, owner and group
 *   p/<id>    link whose target is the place below the shadow where the file or folder has its name
 *
 * A shadow that cannot be kept ends the process: a test must not pass on it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef char Id[64];
typedef char Path[PATH_MAX];

enum { block = 4096, chunk = 4 * block, watchedFds = 65536 };

/* As the environment has them, so that they can be handed on. */
static char preloadEntry[PATH_MAX + 32], folderEntry[PATH_MAX + 32], shadowEntry[PATH_MAX + 32], namesEntry[64];
static const char *folder, *shadow;
static int strict;
/* Descriptors whose every write is a sync. */
static unsigned char syncsWrites[watchedFds];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void fail(const char *what, const char *path) {
  dprintf(2, "power loss: %s %s: %s\n", what, path, strerror(errno));
  abort();
}

static void format(Path out, const char *form, ...) {
  va_list rest;
  va_start(rest, form);
  int length = vsnprintf(out, PATH_MAX, form, rest);
  va_end(rest);
  if (length < 0 || length >= PATH_MAX) fail("too long", out);
}

static int readTarget(const char *path, Path out) {
  ssize_t length = readlink(path, out, PATH_MAX - 1);
  if (length < 0) return 0;
  out[length] = 0;
  return 1;
}

static int look(int at, const char *path, struct statx *found, Id id) {
  int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
  if (statx(at, path, flags, STATX_BASIC_STATS | STATX_BTIME, found) != 0) return 0;
  /* Inodes are used again: what is born later is another file. */
  snprintf(id, sizeof(Id), "%llx-%llx.%x", (unsigned long long)found->stx_ino,
           (unsigned long long)found->stx_btime.tv_sec, found->stx_btime.tv_nsec);
  return 1;
}

/* Makes a link, in place of one with another target. */
static void putLink(const char *target, const char *path) {
  Path now, draft;
  if (readTarget(path, now) && strcmp(now, target) == 0) return;
  format(draft, "%s+%d", path, (int)gettid());
  unlink(draft);
  if (symlink(target, draft) != 0 || rename(draft, path) != 0) fail("link", path);
}

static void putMeta(const struct statx *found, const Id id) {
  Path path, text;
  format(path, "%s/m/%s", shadow, id);
  format(text, "%o %u %u", found->stx_mode & 07777, found->stx_uid, found->stx_gid);
  putLink(text, path);
}

static int openFile(const struct statx *found, const Id id) {
  Path path;
  format(path, "%s/f/%s", shadow, id);
  int file = REAL(open)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail("open", path);
  fchmod(file, 0666);
  putMeta(found, id);
  return file;
}

static void makeFolder(const struct statx *found, const Id id) {
  Path path;
  format(path, "%s/d/%s", shadow, id);
  if (mkdir(path, 0777) == 0) chmod(path, 0777);
  else if (errno != EEXIST) fail("mkdir", path);
  putMeta(found, id);
}

/* Gives the shadow's file the bytes that the file has now. Holds a lock, or an older read would be written last. */
static void copyContent(int from, const struct statx *found, const Id id) {
  char now[chunk], kept[chunk];
  int source = from, file = openFile(found, id);
  if (flock(file, LOCK_EX) != 0) fail("lock", id);
  if (pread(from, now, 1, 0) < 0 && errno == EBADF) {
    /* Open for writing alone. Another descriptor only here: closing it would end the locks that SQLite has on the file. */
    Path path;
    format(path, "/proc/self/fd/%d", from);
    source = REAL(open)(path, O_RDONLY | O_CLOEXEC);
    if (source < 0) fail("open", path);
  }
  off_t at = 0;
  for (;;) {
    ssize_t length = pread(source, now, chunk, at);
    if (length < 0) fail("read", id);
    if (length == 0) break;
    ssize_t had = pread(file, kept, length, at);
    for (ssize_t part = 0; part < length; part += block) {
      ssize_t size = length - part < block ? length - part : block;
      if (had >= part + size && memcmp(now + part, kept + part, size) == 0) continue;
      if (REAL(pwrite)(file, now + part, size, at + part) != size) fail("write", id);
    }
    at += length;
  }
  if (ftruncate(file, at) != 0) fail("truncate", id);
  if (source != from) close(source);
  close(file);
}

/* Makes one name durable. The name that it had before goes with it: a rename is seen as a whole or not at all. */
static void putName(const Id parent, const char *name, const struct statx *found, const Id id, const char *target) {
  Path entry, record, place, before, draft, file, linked;
  struct stat there, own;
  format(place, "d/%s/=%s", parent, name);
  format(entry, "%s/%s", shadow, place);
  format(record, "%s/p/%s", shadow, id);
  format(file, "%s/f/%s", shadow, id);
  if (S_ISREG(found->stx_mode)) {
    close(openFile(found, id));
    if (stat(file, &own) != 0) fail("stat", file);
    if (lstat(entry, &there) != 0 || there.st_ino != own.st_ino) {
      format(draft, "%s/d/%s/+%d", shadow, parent, (int)gettid());
      unlink(draft);
      if (link(file, draft) != 0 || REAL(rename)(draft, entry) != 0) fail("name", entry);
    }
  } else {
    format(linked, "%c%s", S_ISDIR(found->stx_mode) ? 'd' : 'l', target);
    if (S_ISDIR(found->stx_mode)) makeFolder(found, id);
    putLink(linked, entry);
  }
  if (readTarget(record, before) && strcmp(before, place) != 0 && (S_ISDIR(found->stx_mode) || found->stx_nlink == 1)) {
    format(draft, "%s/%s", shadow, before);
    if (S_ISDIR(found->stx_mode)) {
      if (readTarget(draft, file) && file[0] == 'd' && strcmp(file + 1, id) == 0) unlink(draft);
    } else if (lstat(draft, &there) == 0 && S_ISREG(found->stx_mode) && there.st_ino == own.st_ino) unlink(draft);
  }
  putLink(place, record);
}

/* Makes names that are in a folder durable, and lets go of those that are no more. */
static void copyNames(int fd, const struct statx *found, const Id id) {
  Path path;
  makeFolder(found, id);
  format(path, "%s/d/%s", shadow, id);
  int lock = REAL(open)(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int own = REAL(openat)(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || own < 0 || flock(lock, LOCK_EX) != 0) fail("folder", path);
  DIR *entries = fdopendir(own);
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    struct statx inside;
    Id its;
    Path target = "";
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!look(own, entry->d_name, &inside, its)) continue;
    if (S_ISLNK(inside.stx_mode)) {
      ssize_t length = readlinkat(own, entry->d_name, target, PATH_MAX - 1);
      if (length < 0) continue;
      target[length] = 0;
    } else if (S_ISDIR(inside.stx_mode)) strcpy(target, its);
    else if (!S_ISREG(inside.stx_mode)) continue;
    putName(id, entry->d_name, &inside, its, target);
  }
  DIR *kept = opendir(path);
  if (kept == NULL) fail("folder", path);
  for (struct dirent *entry; (entry = readdir(kept)) != NULL;) {
    struct stat there;
    if (entry->d_name[0] == '=' && fstatat(own, entry->d_name + 1, &there, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
      unlinkat(dirfd(kept), entry->d_name, 0);
  }
  closedir(kept);
  closedir(entries);
  close(lock);
}

/* What a path is looked at from: an account may be in a folder that it cannot reach by its path. */
static int lookAt(const char *path, struct statx *found, Id id) {
  Path here;
  if (readTarget("/proc/self/cwd", here)) {
    size_t length = strlen(here);
    if (strcmp(path, here) == 0) return look(AT_FDCWD, ".", found, id);
    if (strncmp(path, here, length) == 0 && path[length] == '/')
      return look(AT_FDCWD, path + length + 1, found, id);
  }
  return look(AT_FDCWD, path, found, id);
}

/* Makes the own name of what was synced durable, and those of the folders that it is in. */
static void copyOwnName(const char *path) {
  Path above, name;
  strcpy(above, path);
  while (strlen(above) > strlen(folder)) {
    struct statx found, around;
    Id id, parent;
    char *slash = strrchr(above, '/');
    int known = lookAt(above, &found, id);
    strcpy(name, slash + 1);
    *slash = 0;
    if (!known || !lookAt(above, &around, parent)) return;
    makeFolder(&around, parent);
    putName(parent, name, &found, id, id);
  }
}

/* 1 when the descriptor is of something in the folder. */
static int isWatched(int fd, Path path) {
  Path link;
  if (folder == NULL) return 0;
  format(link, "/proc/self/fd/%d", fd);
  if (!readTarget(link, path)) return 0;
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* 1 when it was seen to. */
static int keep(int fd) {
  Path path;
  struct statx found, named;
  Id id, its;
  int error = errno;
  if (!isWatched(fd, path) || !look(fd, "", &found, id)) return 0;
  if (S_ISDIR(found.stx_mode)) copyNames(fd, &found, id);
  else if (S_ISREG(found.stx_mode)) copyContent(fd, &found, id);
  else return 0;
  /* Under another name by now, or under none. */
  if (!strict && found.stx_nlink > 0 && lookAt(path, &named, its) && strcmp(id, its) == 0) copyOwnName(path);
  errno = error;
  return 1;
}

static const char *handedOn(const char *name, char *entry, size_t size) {
  const char *value = getenv(name);
  if (value == NULL || strlen(name) + strlen(value) + 2 > size) return NULL;
  sprintf(entry, "%s=%s", name, value);
  return entry + strlen(name) + 1;
}

__attribute__((constructor)) static void begin(void) {
  struct statx found;
  Id id;
  Path path;
  handedOn("LD_PRELOAD", preloadEntry, sizeof preloadEntry);
  shadow = handedOn("POWER_LOSS_SHADOW", shadowEntry, sizeof shadowEntry);
  const char *names = handedOn("POWER_LOSS_NAMES", namesEntry, sizeof namesEntry);
  strict = names != NULL && strcmp(names, "posix") == 0;
  const char *watched = handedOn("POWER_LOSS_FOLDER", folderEntry, sizeof folderEntry);
  if (watched == NULL || shadow == NULL) return;
  folder = watched;
  if (!lookAt(folder, &found, id)) return;
  makeFolder(&found, id);
  format(path, "%s/root", shadow);
  if (symlink(id, path) != 0 && errno != EEXIST) fail("link", path);
}

int fsync(int fd) { return keep(fd) ? 0 : REAL(fsync)(fd); }
int fdatasync(int fd) { return keep(fd) ? 0 : REAL(fdatasync)(fd); }

static int opened(int fd, int flags) {
  Path path;
  if (fd >= 0 && fd < watchedFds) syncsWrites[fd] = (flags & O_DSYNC) != 0 && isWatched(fd, path);
  return fd;
}

#define OPEN(name, parameters, ...)                                                     \
  int name parameters {                                                                 \
    mode_t mode = 0;                                                                    \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                              \
      va_list rest;                                                                     \
      va_start(rest, flags);                                                            \
      mode = va_arg(rest, mode_t);                                                      \
      va_end(rest);                                                                     \
    }                                                                                   \
    return opened(REAL(name)(__VA_ARGS__), flags);                                      \
  }
OPEN(open, (const char *path, int flags, ...), path, flags, mode)
OPEN(open64, (const char *path, int flags, ...), path, flags, mode)
OPEN(openat, (int at, const char *path, int flags, ...), at, path, flags, mode)
OPEN(openat64, (int at, const char *path, int flags, ...), at, path, flags, mode)

static ssize_t written(int fd, ssize_t result) {
  if (result >= 0 && fd >= 0 && fd < watchedFds && syncsWrites[fd]) keep(fd);
  return result;
}

ssize_t write(int fd, const void *bytes, size_t size) {
  static __typeof__(&write) real;
  if (real == NULL) real = REAL(write);
  return written(fd, real(fd, bytes, size));
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  static __typeof__(&pwrite) real;
  if (real == NULL) real = REAL(pwrite);
  return written(fd, real(fd, bytes, size, at));
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { return pwrite(fd, bytes, size, at); }
ssize_t writev(int fd, const struct iovec *parts, int count) {
  static __typeof__(&writev) real;
  if (real == NULL) real = REAL(writev);
  return written(fd, real(fd, parts, count));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  static __typeof__(&pwritev) real;
  if (real == NULL) real = REAL(pwritev);
  return written(fd, real(fd, parts, count, at));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return pwritev(fd, parts, count, at); }

/* A child that is given an environment of its own is watched as well. */
static void handOn(char *const given[], char **out, int room) {
  char *own[] = {preloadEntry, folderEntry, shadowEntry, namesEntry};
  int count = 0;
  for (; given != NULL && given[count] != NULL && count < room - 5; count++) out[count] = given[count];
  for (int entry = 0; folder != NULL && entry < 4; entry++) {
    size_t name = strcspn(own[entry], "=") + 1;
    int found = own[entry][0] == 0;
    for (int other = 0; other < count; other++) found = found || strncmp(out[other], own[entry], name) == 0;
    if (!found) out[count++] = own[entry];
  }
  out[count] = NULL;
}

enum { variables = 1024 };
extern char **environ;

int execve(const char *path, char *const arguments[], char *const given[]) {
  char *all[variables];
  handOn(given, all, variables);
  return REAL(execve)(path, arguments, all);
}
int execvpe(const char *file, char *const arguments[], char *const given[]) {
  char *all[variables];
  handOn(given, all, variables);
  return REAL(execvpe)(file, arguments, all);
}
int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }
int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
