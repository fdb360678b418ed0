import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'

/**
 * Name of the environment variable that gives the prepared data folder to the processes of a test run. It lacks the
 * product's prefix, because the product refuses unknown settings with that prefix.
 */
export const preparedFolder = 'TEST_PREPARED_DATA_FOLDER'

/** Settings with which the first start creates different data, or creates its data elsewhere. */
const ownStart = /^(DATABASE_URL|CLICKHOUSE_URL|KAFKA_\w+|TRIBUTARY_(SECRET_KEY|ADMIN_\w+|LOST_FOLDER))$/

const isEmpty = (folder: string): boolean => {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return true
  }
}

/**
 * Fills an empty data folder with the data of a product that was started once and stopped, if the test run has prepared
 * such a folder. Otherwise a start spends more than half of its processor time on creating these data.
 */
export const fillFolder = async (folder: string, env: Readonly<Record<string, string>>): Promise<void> => {
  const { [preparedFolder]: prepared } = process.env
  if (prepared === undefined || !isEmpty(folder) || Object.keys(env).some((name) => ownStart.test(name))) return
  mkdirSync(folder, { recursive: true })
  // The copy keeps owners and modes, because PostgreSQL runs under an account of its own.
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, folder])
}
