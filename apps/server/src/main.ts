import { ConfigurationError, readConfig } from './config.ts'
import { startProduct } from './product.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const fail = (error: unknown): never => {
  const expected = error instanceof ConfigurationError || (error instanceof Error && error.name === 'DataDirLocked')
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}

try {
  const product = await startProduct(readConfig(process.env))
  if (product.generatedPassword !== undefined)
    say(
      `\n  First administrator\n    e-mail    ${product.adminEmail}\n    password  ${product.generatedPassword}\n  This password is shown once: keep it.\n`,
    )
  say(`Tributary is ready at ${product.url}`)
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    product.stop().then(() => process.exit(0), fail)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
} catch (error) {
  fail(error)
}
