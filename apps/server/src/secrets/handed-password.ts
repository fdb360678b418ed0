import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const name = 'TRIBUTARY_ADMIN_PASSWORD'
/**
 * Setting that names where the password is passed: the number of an open pipe, or its own file in its own folder. Never
 * set by users.
 */
const handedName = 'TRIBUTARY_ADMIN_PASSWORD_FROM'

/** How the name of the folder begins that the password is handed over in. */
const folderStart = 'tributary-start-'

/** A private file with the password; undefined where no file can be written, such as in a container that is read-only. */
const writeHanded = (password: string): string | undefined => {
  try {
    const file = join(mkdtempSync(join(tmpdir(), folderStart)), 'password')
    writeFileSync(file, password, { mode: 0o600, flag: 'wx' })
    return file
  } catch {
    return undefined
  }
}

/** Reads what was handed over, and removes it where it is a file. */
const readHanded = (from: string): string => {
  if (/^\d{1,3}$/.test(from)) return readFileSync(Number(from), 'utf8')
  const password = readFileSync(from, 'utf8')
  // Removes only folders of its own, whatever path a user has configured.
  if (basename(dirname(from)).startsWith(folderStart)) rmSync(dirname(from), { recursive: true })
  return password
}

/** Replaces this program by another one with its process id. Not every Node has it. */
type Replace = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void

const replaceOfNode: Replace | undefined =
  // Linux shows the environment that a program was started with for as long as it runs. A process with a channel would
  // lose the channel.
  process.connected !== true && 'execve' in process && typeof process.execve === 'function'
    ? (file, args, env) => {
        process.execve?.(file, [...args], env)
      }
    : undefined

/**
 * Returns the settings of this process, after which neither its environment nor that of its children has the password
 * of the first administrator. A process that was started with the password begins anew without it, under the same
 * process ID, and so does not return.
 */
export const takeSettings = (
  env: NodeJS.ProcessEnv,
  replace: Replace | undefined = replaceOfNode,
): NodeJS.ProcessEnv => {
  const { [name]: password, [handedName]: from, ...settings } = env
  delete env[name]
  delete env[handedName]
  if (from !== undefined) return { ...settings, [name]: readHanded(from) }
  if (password === undefined || password === '') return settings
  const file = replace === undefined ? undefined : writeHanded(password)
  if (replace !== undefined && file !== undefined) {
    const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
    replace(process.execPath, args, { ...settings, [handedName]: file })
  }
  return { ...settings, [name]: password }
}
