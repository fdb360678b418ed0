import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** The operating system's account that a PostgreSQL process runs under. */
export type Account = { uid: number; gid: number; name: string }

/** Finds an account in the text of /etc/passwd (passwd(5)); undefined if it is not there. */
export const findAccount = (passwd: string, name: string): Account | undefined => {
  for (const line of passwd.split('\n')) {
    const [entry, , uid, gid] = line.split(':')
    if (entry === name && uid !== undefined && gid !== undefined) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}

/** The account of this process. @throws if its user ID has no name, which PostgreSQL needs */
const ownAccount = (): Account => {
  try {
    const { uid, gid, username } = userInfo()
    return { uid, gid, name: username }
  } catch (cause) {
    throw new Error(
      'The embedded PostgreSQL needs a user with a name, and the user id of this process has no entry in /etc/passwd. ' +
        'Run as a named user, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

/**
 * The account that runs PostgreSQL, and the account of this process as PostgreSQL sees it. PostgreSQL refuses to run as
 * root. So root switches to `postgres` if that account exists, else to `nobody`; other users run it as themselves.
 */
export const chooseAccount = (): { server: Account; client: Account } => {
  const client = ownAccount()
  if (client.uid !== 0) return { server: client, client }
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const server = findAccount(passwd, 'postgres') ?? findAccount(passwd, 'nobody')
  if (server === undefined || server.uid === 0) {
    throw new Error(
      'PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody" to run it as. ' +
        'Start Tributary as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  return { server, client }
}
