import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'

/** Names the folder to the processes of a run. The product refuses settings of its own prefix that it does not have. */
export const preparedFolder = 'TEST_PREPARED_DATA_FOLDER'

/** With one of them a first start makes something else, or makes it elsewhere. */
const ownStart = /^(DATABASE_URL|CLICKHOUSE_URL|KAFKA_\w+|TRIBUTARY_(SECRET_KEY|ADMIN_\w+|LOST_FOLDER))$/

const isEmpty = (folder: string): boolean => {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return true
  }
}

/**
 * Gives an empty data folder the contents of one whose product was started once and stopped, where the run of tests has prepared
 * that. To make them anew takes a start more than half of its processor time.
 */
export const fillFolder = async (folder: string, env: Readonly<Record<string, string>>): Promise<void> => {
  const { [preparedFolder]: prepared } = process.env
  if (prepared === undefined || !isEmpty(folder) || Object.keys(env).some((name) => ownStart.test(name))) return
  mkdirSync(folder, { recursive: true })
  // Owners and modes stay: PostgreSQL has an account of its own.
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, folder])
}
