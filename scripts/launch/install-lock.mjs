import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { identify, isRunning, kill } from './processes.mjs'

/** @typedef {import('./processes.mjs').Identity} Identity */

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** @param {string} file
 * @returns {{ owner?: Identity, npm?: Identity }} nothing of a file that is gone or empty */
const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * Locks the installation of one checkout for this process, and waits while another process has the lock. If that
 * process has died, an npm process that it left running is ended first, because npm would continue to write into the
 * folder.
 *
 * @param {string} file
 * @returns {Promise<{ noteNpm(pid: number | undefined): void, release(): void }>}
 */
export const takeInstallLock = async (file) => {
  mkdirSync(dirname(file), { recursive: true })
  const owner = identify(process.pid)
  let reported = 0
  let unreadable = 0
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify({ owner }), { flag: 'wx' })
      break
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    }
    const held = read(file)
    // Another process has created the file and has not written its content yet, or was killed before that.
    if (held.owner === undefined && unreadable++ < 10) await pause(50)
    else if (held.owner === undefined || !isRunning(held.owner)) {
      if (held.npm !== undefined) await kill(held.npm)
      rmSync(file, { force: true })
    } else {
      const { pid } = held.owner
      if (reported !== pid) process.stdout.write(`Waiting for the install of process ${pid} …\n`)
      reported = pid
      await pause(250)
    }
  }
  return {
    noteNpm(pid) {
      const npm = pid === undefined ? undefined : identify(pid)
      writeFileSync(`${file}.${process.pid}`, JSON.stringify({ owner, npm }))
      renameSync(`${file}.${process.pid}`, file)
    },
    release: () => rmSync(file, { force: true }),
  }
}
