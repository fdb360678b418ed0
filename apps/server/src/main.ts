import { type Config, isCollector, isProcessor, readConfig } from './config/config.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
/** Failures that the operator can fix; their message says how, a stack would only hide it. */
const operatorErrors = new Set([
  'ConfigurationError',
  'DataDirLocked',
  'DataDirHalfRestored',
  'DataDirUnusable',
  'SchemaNotReady',
  'SchemaTooNew',
  'OlderProcessesRun',
  'EventStoreNotReady',
  'EventStoreTooNew',
  'WrongSecretKey',
  'SecretKeyRotated',
  'ListenFailed',
  'KafkaUnusable',
  'WriterReplaced',
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
const stop = (): void => {
  if (stopProduct === undefined) process.exit(143)
  if (stopping) return
  stopping = true
  stopProduct().then(() => process.exit(0), fail)
}
let isListening = false
const listenToSignals = (): void => {
  if (isListening) return
  isListening = true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
}
// What started this process holds the other end of the channel: its end tells that it is gone, even by SIGKILL.
process.on('disconnect', stop)
if (process.send !== undefined && !process.connected) stop()

/** What runs, and what its operator has to know. */
type Started = { stop: () => Promise<void>; lines: string[] }

const startMain = async (config: Config): Promise<Started> => {
  const { startProduct } = await import('./product.ts')
  const starting = startProduct(config, {
    onStandby(url, leave) {
      stopProduct = async () => {
        leave()
        // It may have taken over by now: then it ends as one that is ready.
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

/** Starts a process that only collects, without loading what the others need. */
const startCollecting = async (config: Config): Promise<Started> => {
  const { startCollector } = await import('./collector.ts')
  const { url, stop: stopCollector } = await startCollector(config)
  return { stop: stopCollector, lines: [`Tributary is ready at ${url}`, 'This process only collects events.'] }
}

/** Starts a process that only processes or delivers, without loading the API. */
const startProcessing = async (config: Config): Promise<Started> => {
  const { startProcessor } = await import('./processor.ts')
  const { url, stop: stopProcessor } = await startProcessor(config)
  return { stop: stopProcessor, lines: [`Tributary is ready at ${url}`, 'This process only processes events.'] }
}

const startOne = (config: Config): Promise<Started> => {
  if (isCollector(config)) return startCollecting(config)
  return isProcessor(config) ? startProcessing(config) : startMain(config)
}

try {
  const config = readConfig(process.env)
  const started = await startOne(config)
  stopProduct = started.stop
  listenToSignals()
  for (const line of started.lines) say(line)
} catch (error) {
  if (isLeft(error)) process.exit(0)
  fail(error)
}
