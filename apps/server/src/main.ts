import { readConfig } from './config/config.ts'
import { startProduct } from './product.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
/** Failures that the operator can fix; their message says how, a stack would only hide it. */
const operatorErrors = new Set([
  'ConfigurationError',
  'DataDirLocked',
  'DataDirHalfRestored',
  'DataDirUnusable',
  'SchemaTooNew',
  'WrongSecretKey',
  'SecretKeyRotated',
  'ListenFailed',
  'KafkaUnusable',
  'WriterReplaced',
])
const fail = (error: unknown): never => {
  const known = error instanceof Error && operatorErrors.has(error.name)
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}

/** Undefined until the product is ready. */
let stopProduct: (() => Promise<void>) | undefined
let stopping = false
const stop = (): void => {
  if (stopProduct === undefined) process.exit(143)
  if (stopping) return
  stopping = true
  stopProduct().then(() => process.exit(0), fail)
}
// What started this process holds the other end of the channel: its end tells that it is gone, even by SIGKILL.
process.on('disconnect', stop)
if (process.send !== undefined && !process.connected) stop()

try {
  const product = await startProduct(readConfig(process.env))
  if (product.generatedPassword !== undefined)
    say(
      `\n  First administrator\n    email     ${product.adminEmail}\n    password  ${product.generatedPassword}\n  This password is shown only once.\n`,
    )
  if (product.otherPassword)
    say(
      `\n  TRIBUTARY_ADMIN_PASSWORD is not the password of ${product.adminEmail}, who signs in with the one set before:\n  it is used at the first start only. npm run admin-password makes it the password.\n`,
    )
  say(`Tributary is ready at ${product.url}`)
  if (product.outboxUrl !== undefined) say(`Mail that is not sent is shown at ${product.outboxUrl}`)
  stopProduct = product.stop
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
} catch (error) {
  fail(error)
}
