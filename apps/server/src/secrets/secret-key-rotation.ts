import { resealSecrets, verifySecretKey, WrongSecretKey } from '@tributary/control'
import { faultPoint, type Logger, noMetrics } from '@tributary/kernel'
import { lockDataDir, type Relational } from '@tributary/storage'
import { openRelationalStore } from '../boot/engines.ts'
import type { Config } from '../config/config.ts'
import {
  createProductSecretBox,
  dropNextKey,
  newSecretKey,
  readKeyFile,
  takeNextKey,
  writeNextKey,
} from './secret-key.ts'

type Db = Relational['db']

/** Thrown if the configured key is the one from before a rotation. */
export class SecretKeyRotated extends Error {
  constructor() {
    super(
      'The secret key was rotated, and TRIBUTARY_SECRET_KEY is the old one. Remove it from the environment to use ' +
        'secret.key of the data folder, or set it to the content of that file.',
    )
    this.name = 'SecretKeyRotated'
  }
}

/** Thrown if there is no key to rotate from, or the new key is invalid. */
export class RotationRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RotationRefused'
  }
}

const fits = async (db: Db, key: string): Promise<boolean> => {
  try {
    await verifySecretKey({ db, secretBox: createProductSecretBox(key) })
    return true
  } catch (error) {
    if (error instanceof WrongSecretKey) return false
    throw error
  }
}

/**
 * Returns the key that encrypts the database: the loaded one, or that of a rotation that was killed after it had
 * changed the database. If the rotation was killed, its key is now put in place. The remains of a rotation that changed
 * nothing are removed.
 *
 * @throws WrongSecretKey, and SecretKeyRotated if the key of the data folder fits but another one is configured
 */
export const settleSecretKey = async (
  db: Db,
  { dataDir, secretKey: configured }: Pick<Config, 'dataDir' | 'secretKey'>,
  loaded: string,
  logger: Logger,
): Promise<string> => {
  const next = await readKeyFile(dataDir, '.next')
  if (await fits(db, loaded)) {
    if (next !== undefined) await dropNextKey(dataDir)
    return loaded
  }
  if (next !== undefined && (await fits(db, next))) {
    await takeNextKey(dataDir)
    logger.info({}, 'a rotation of the secret key that was interrupted is finished')
    if (configured !== undefined && configured !== next) throw new SecretKeyRotated()
    return next
  }
  const own = await readKeyFile(dataDir)
  if (configured !== undefined && own !== undefined && (await fits(db, own))) throw new SecretKeyRotated()
  throw new WrongSecretKey()
}

export type Rotation = {
  /** Number of values that were encrypted again. */
  count: number
  /** True if the old key was configured, so that the configuration must be changed. */
  configured: boolean
}

/** Returns the key to rotate from, after an earlier rotation was completed or removed. */
const presentKey = async (db: Db, config: Config, logger: Logger): Promise<string> => {
  const loaded = config.secretKey ?? (await readKeyFile(config.dataDir)) ?? (await readKeyFile(config.dataDir, '.next'))
  if (loaded === undefined)
    throw new RotationRefused(`There is no secret key in ${config.dataDir} yet: the product was never started there.`)
  return await settleSecretKey(db, config, loaded, logger)
}

/**
 * Encrypts everything with a new key and puts the key in place, while the product is stopped. The order lets
 * `settleSecretKey` finish after a kill at any moment. First the new key is written next to the old one, then the
 * database changes in one transaction, then the new key replaces the old one.
 *
 * @throws DataDirLocked while the product is running, RotationRefused, UnreadableSecret, and the errors of
 * `settleSecretKey`
 */
export const rotateSecretKey = async (
  config: Config,
  { newKey = newSecretKey(), logger }: { newKey?: string; logger: Logger },
): Promise<Rotation> => {
  if (newKey.length < 32) throw new RotationRefused('The new key must have at least 32 characters.')
  await using _ = lockDataDir(config.dataDir)
  await using store = await openRelationalStore(config, { logger, metrics: noMetrics })
  const { db } = store.relational
  const old = await presentKey(db, config, logger)
  if (old === newKey) throw new RotationRefused('The new key is the one in use.')
  await writeNextKey(config.dataDir, newKey)
  faultPoint('rotate-key.before-commit')
  const boxes = { from: createProductSecretBox(old), to: createProductSecretBox(newKey) }
  const count = await db.transaction().execute((tx) => resealSecrets(tx, boxes))
  faultPoint('rotate-key.after-commit')
  await takeNextKey(config.dataDir)
  return { count, configured: config.secretKey !== undefined }
}
