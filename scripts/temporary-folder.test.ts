import { expect, test } from 'vitest'
import { isForTemporaryFiles } from './temporary-folder.ts'

const gib = 1024 ** 3
const roomy = {
  mounts: '/dev/vda / ext4 rw,relatime 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,relatime,size=24684092k 0 0\n',
  freeBytes: 12 * gib,
  availableBytes: 16 * gib,
}

test('temporary files of a run are in memory if there is enough space', () => {
  expect(isForTemporaryFiles(roomy)).toBe(true)
})

test.each([
  ['the folder is not there', { mounts: '/dev/vda / ext4 rw 0 0\n' }],
  ['the folder is on a disk', { mounts: '/dev/vdb /dev/shm ext4 rw 0 0\n' }],
  ['a disk was mounted above it', { mounts: `${roomy.mounts}/dev/vdb /dev/shm ext4 rw 0 0\n` }],
  ['nothing in it may be run, as in a container', { mounts: 'shm /dev/shm tmpfs rw,nosuid,noexec 0 0\n' }],
  ['the folder is small', { freeBytes: 4 * gib - 1 }],
  ['the machine has little memory', { availableBytes: 8 * gib - 1 }],
])('temporary files of a run stay on disk if %s', (_, given) => {
  expect(isForTemporaryFiles({ ...roomy, ...given })).toBe(false)
})
