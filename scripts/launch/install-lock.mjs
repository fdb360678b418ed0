import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { identify, isRunning, kill } from './processes.mjs'
import { LaunchFailed } from './progress.mjs'

/** @typedef {import('./processes.mjs').Identity} Identity */
/** @typedef {{ owner: Identity, npm?: Identity }} Note */

const patienceMs = 30 * 60_000

/** @param {string} file
 * @returns {Note | undefined} */
const read = (file) => {
  try {
    const note = JSON.parse(readFileSync(file, 'utf8'))
    return typeof note?.owner?.pid === 'number' ? note : undefined
  } catch {
    return undefined
  }
}

/** Writes the file whole or not at all; throws EEXIST when it is there and `fresh`.
 * @param {string} file
 * @param {Note} note
 * @param {boolean} fresh */
const write = (file, note, fresh) => {
  if (fresh) return writeFileSync(file, JSON.stringify(note), { flag: 'wx' })
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(note))
  renameSync(`${file}.${process.pid}`, file)
}

/**
 * Reserves the installing of one checkout for this process. Waits for who does it already. When that one has died, the
 * npm that it may have left running is ended first: it would go on writing into the folder.
 *
 * @param {string} file
 * @param {(text: string) => void} say
 * @returns {Promise<{ noteNpm(pid: number | undefined): void, release(): void }>}
 */
export const takeInstallLock = async (file, say) => {
  mkdirSync(dirname(file), { recursive: true })
  const owner = identify(process.pid) ?? { pid: process.pid, startTime: '' }
  const deadline = Date.now() + patienceMs
  let told = false
  let unreadable = 0
  for (;;) {
    try {
      write(file, { owner }, true)
      break
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    }
    const held = read(file)
    // Made a moment ago and not written yet, or left empty by a kill in that moment.
    if (held === undefined && unreadable++ < 10) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    if (held === undefined || !isRunning(held.owner)) {
      if (held?.npm !== undefined) await kill(held.npm)
      rmSync(file, { force: true })
      continue
    }
    if (Date.now() > deadline)
      throw new LaunchFailed(
        `Another install (process ${held.owner.pid}) does not end. Stop it, and run the command again.`,
      )
    if (!told) say(`Waiting for the install of process ${held.owner.pid} …\n`)
    told = true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return {
    noteNpm(pid) {
      const npm = pid === undefined ? undefined : identify(pid)
      write(file, npm === undefined ? { owner } : { owner, npm }, false)
    },
    release: () => rmSync(file, { force: true }),
  }
}
