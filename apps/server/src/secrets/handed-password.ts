import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const name = 'TRIBUTARY_ADMIN_PASSWORD'
/**
 * A setting that names the place of the password: the number of an open pipe, or a file in a separate folder. Users
 * never set it.
 */
const handedName = 'TRIBUTARY_ADMIN_PASSWORD_FROM'

/** Prefix of the name of the folder in which the password is passed on. */
const folderStart = 'tributary-start-'

/** Writes a private file with the password. Undefined if no file can be written, such as in a read-only container. */
const writeHanded = (password: string): string | undefined => {
  try {
    const file = join(mkdtempSync(join(tmpdir(), folderStart)), 'password')
    writeFileSync(file, password, { mode: 0o600, flag: 'wx' })
    return file
  } catch {
    return undefined
  }
}

/** Reads the password from a pipe or a file. Removes the file. */
const readHanded = (from: string): string => {
  if (/^\d{1,3}$/.test(from)) return readFileSync(Number(from), 'utf8')
  const password = readFileSync(from, 'utf8')
  // Removes only folders with this prefix, even if a user has configured another path.
  if (basename(dirname(from)).startsWith(folderStart)) rmSync(dirname(from), { recursive: true })
  return password
}

/** Replaces this program by another one with the same process ID. Some versions of Node.js lack this function. */
type Replace = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void

const replaceOfNode: Replace | undefined =
  // Linux shows the initial environment of a program as long as the program runs. A process with an IPC channel would
  // lose that channel.
  process.connected !== true && 'execve' in process && typeof process.execve === 'function'
    ? (file, args, env) => {
        process.execve?.(file, [...args], env)
      }
    : undefined

/**
 * Returns the settings of this process. Afterwards neither its environment nor that of its children has the password of
 * the first administrator. A process that was started with the password replaces itself without it, under the same
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
