import { type Config, isCollector, isProcessor, readConfig } from './config/config.ts'
import { takeSettings } from './secrets/handed-password.ts'
import { startWatchdog, type Watchdog } from './threads/watchdog/watchdog.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
/** Failures that the operator can fix. Their message says how, so no stack is printed. */
const operatorErrors = new Set([
  'ConfigurationError',
  'DataDirLocked',
  'DataDirHalfRestored',
  'DataDirUnusable',
  'SchemaNotReady',
  'SchemaTooNew',
  'OlderProcessesRun',
  'OlderStore',
  'EventStoreNotReady',
  'EventStoreTooNew',
  'WrongSecretKey',
  'SecretKeyRotated',
  'ListenFailed',
  'KafkaUnusable',
  'WriterReplaced',
  'LogOfOtherFolder',
  'OtherRoles',
  'PartitionGroupsInUse',
])
const isLeft = (error: unknown): boolean => error instanceof Error && error.name === 'LeftStandby'

const fail = (error: unknown): never => {
  const known = error instanceof Error && operatorErrors.has(error.name)
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}

/** Undefined until the product is ready. */
let stopProduct: (() => Promise<void>) | undefined
let stopping = false
let watchdog: Watchdog | undefined
const stop = (): void => {
  if (stopProduct === undefined) process.exit(143)
  if (stopping) return
  stopping = true
  watchdog?.pause()
  stopProduct().then(() => process.exit(0), fail)
}
let isListening = false
const listenToSignals = (): void => {
  if (isListening) return
  isListening = true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
}
// The parent process has the other end of the channel. When the channel closes, the parent has ended, even by SIGKILL.
process.on('disconnect', stop)
if (process.send !== undefined && !process.connected) stop()

/** A running process: how to stop it, and the lines printed for its operator. */
type Started = { stop: () => Promise<void>; lines: string[] }

const startMain = async (config: Config): Promise<Started> => {
  const { startProduct } = await import('./boot/product.ts')
  const starting = startProduct(config, {
    onStandby(url, leave) {
      stopProduct = async () => {
        leave()
        // The process may have become the main process in the meantime. Then it is stopped like a process that is
        // ready.
        const taken = await starting.catch((error: unknown) => {
          if (!isLeft(error)) throw error
        })
        await taken?.stop()
      }
      listenToSignals()
      say(`Tributary stands by at ${url}`)
    },
  })
  const product = await starting
  const lines: string[] = []
  if (product.generatedPassword !== undefined)
    lines.push(
      `\n  First administrator\n    email     ${product.adminEmail}\n    password  ${product.generatedPassword}\n  This password is shown only once.\n`,
    )
  if (product.otherPassword)
    lines.push(
      `\n  TRIBUTARY_ADMIN_PASSWORD is not the password of ${product.adminEmail}, who signs in with the one set before:\n  it is used at the first start only. npm run admin-password makes it the password.\n`,
    )
  lines.push(`Tributary is ready at ${product.url}`)
  if (product.outboxUrl !== undefined) lines.push(`Mail that is not sent is shown at ${product.outboxUrl}`)
  return { stop: product.stop, lines }
}

/** Starts a process that only collects, without loading the modules of other roles. */
const startCollecting = async (config: Config): Promise<Started> => {
  const { startCollector } = await import('./cluster/collector.ts')
  const { url, stop: stopCollector } = await startCollector(config)
  return { stop: stopCollector, lines: [`Tributary is ready at ${url}`, 'This process only collects events.'] }
}

/** Starts a process that only processes or delivers, without loading the API. */
const startProcessing = async (config: Config): Promise<Started> => {
  const { startProcessor } = await import('./cluster/processor.ts')
  const { url, stop: stopProcessor } = await startProcessor(config)
  return { stop: stopProcessor, lines: [`Tributary is ready at ${url}`, 'This process only processes events.'] }
}

const startOne = (config: Config): Promise<Started> => {
  if (isCollector(config)) return startCollecting(config)
  return isProcessor(config) ? startProcessing(config) : startMain(config)
}

/**
 * Returns the open file through which the launcher gets the reason why a process ends. Children of this process do not
 * inherit it.
 */
const launcherFile = (): number | undefined => {
  const { TRIBUTARY_LAUNCHER_FILE: file } = process.env
  delete process.env['TRIBUTARY_LAUNCHER_FILE']
  return file === undefined ? undefined : Number(file)
}

try {
  // Removed from the environment before the settings are read, because it is not a setting.
  const launcher = launcherFile()
  const config = readConfig(takeSettings(process.env))
  watchdog = startWatchdog({ dataDir: config.dataDir, ...config.blocked, launcher })
  const started = await startOne(config)
  stopProduct = started.stop
  listenToSignals()
  watchdog.watch()
  for (const line of started.lines) say(line)
} catch (error) {
  if (isLeft(error)) process.exit(0)
  fail(error)
}
