import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endsWithParent, java, kafkaJars } from './kafka-jars.ts'

/** A customer's Kafka: a real single broker in a temporary folder, on loopback ports. */
export type KafkaPeer = AsyncDisposable & {
  /** `host:port` of the listener without TLS and authentication. */
  address: string
  /** `host:port` of each further listener, by name. */
  listeners: Record<string, string>
  /** The self-signed certificate of listeners with TLS, for localhost (PEM). */
  certificate: string
  /** The broker's process ID; undefined while it does not run. */
  pid(): number | undefined
  /** Kills the broker with SIGKILL; its data stays. */
  kill(): Promise<void>
  /** Starts the broker again on the same ports. */
  start(): Promise<void>
}

export type KafkaPeerOptions = {
  /** Further listeners: their names and their security protocols. */
  listeners?: Record<string, 'PLAINTEXT' | 'SASL_PLAINTEXT' | 'SASL_SSL' | 'SSL'>
  /** Advertised `host:port` of a listener, for a broker that clients reach through a proxy. */
  advertised?: Record<string, string>
  /** Additional broker settings. */
  settings?: Record<string, string>
  /** SCRAM-SHA-256 users with their passwords. */
  scram?: Record<string, string>
}

const freePorts = async (count: number): Promise<number[]> => {
  const probes = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const probe = createServer()
          probe.once('error', reject)
          probe.listen(0, '127.0.0.1', () => resolve(probe))
        }),
    ),
  )
  const ports = probes.map((probe) => {
    const address = probe.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  return ports
}

/**
 * Creates a certificate for localhost with Java's own tool; returns the broker settings for it, and the certificate.
 */
const certify = (folder: string): { settings: Record<string, string>; certificate: string } => {
  const store = join(folder, 'keys.p12')
  const keytool = (...args: string[]): string =>
    execFileSync(
      join(dirname(java ?? ''), 'keytool'),
      [...args, '-alias', 'kafka', '-keystore', store, '-storepass', 'secret'],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
  keytool('-genkeypair', '-keyalg', 'EC', '-dname', 'CN=localhost', '-ext', 'SAN=dns:localhost', '-storetype', 'PKCS12')
  return {
    certificate: keytool('-exportcert', '-rfc'),
    settings: {
      'ssl.keystore.location': store,
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.password': 'secret',
      'ssl.key.password': 'secret',
    },
  }
}

/** Options of Java for a fast start and little memory. */
const javaOptions = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']

const run = (args: readonly string[], jars: string): ChildProcess => {
  const command = [java ?? 'java', ...javaOptions, '-cp', join(jars, '*'), ...args]
  const [program = '', ...rest] =
    endsWithParent === undefined ? command : [endsWithParent, '--pdeathsig', 'KILL', ...command]
  return spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Resolves when the process has printed `words` or, without `words`, when it has ended successfully. */
const said = (child: ChildProcess, words?: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ''
    const read = (text: string): void => {
      output = (output + text).slice(-100_000)
      if (words !== undefined && output.includes(words)) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.once('close', (code) =>
      words === undefined && code === 0
        ? resolve()
        : reject(new Error(`Kafka ended with ${code}: ${output.slice(-3000)}`)),
    )
  })

/** The ID of every Kafka cluster that tests start. */
const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg'

/** Formats the storage of a broker in its own folder, and starts the broker with these settings. */
const startBroker = async (
  folder: string,
  jars: string,
  settings: Readonly<Record<string, string>>,
  scram: readonly string[] = [],
): Promise<Pick<KafkaPeer, 'pid' | 'kill' | 'start'>> => {
  const file = join(folder, 'server.properties')
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('close', resolve))
    running.kill('SIGKILL')
    await ended
  }
  const start = async (): Promise<void> => {
    child = run(['kafka.Kafka', file], jars)
    await said(child, 'Kafka Server started')
  }
  try {
    await said(run(['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file, ...scram], jars))
    await start()
  } catch (error) {
    await kill()
    throw error
  }
  return { pid: () => child?.pid, kill, start }
}

const commonSettings = {
  'process.roles': 'broker,controller',
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'PLAINTEXT',
  'auto.create.topics.enable': 'false',
  'offsets.topic.num.partitions': '1',
  'transaction.state.log.num.partitions': '1',
}

/** Starts a Kafka with one broker. Topics are not created automatically. */
export const startKafka = async (options: KafkaPeerOptions = {}): Promise<KafkaPeer> => {
  const jars = kafkaJars()
  const folder = await mkdtemp(join(tmpdir(), 'tributary-kafka-'))
  const further = Object.entries(options.listeners ?? {})
  const [port = 0, controller = 0, ...ports] = await freePorts(2 + further.length)
  const addresses = further.map(
    ([name, protocol], at) =>
      [name, `${protocol.endsWith('SSL') ? 'localhost' : '127.0.0.1'}:${ports[at] ?? 0}`] as const,
  )
  const tls = addresses.some(([, address]) => address.startsWith('localhost')) ? certify(folder) : undefined
  const open = [['PLAINTEXT', `127.0.0.1:${port}`] as const, ...addresses]
  const urls = (all: readonly (readonly [string, string])[]): string =>
    all.map(([name, at]) => `${name}://${at}`).join(',')
  const settings: Record<string, string> = {
    ...commonSettings,
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: urls([...open, ['CONTROLLER', `127.0.0.1:${controller}`]]),
    'advertised.listeners': urls(open.map(([name, at]) => [name, options.advertised?.[name] ?? at])),
    'listener.security.protocol.map': [
      'PLAINTEXT:PLAINTEXT',
      'CONTROLLER:PLAINTEXT',
      ...further.map(([name, protocol]) => `${name}:${protocol}`),
    ].join(','),
    'log.dirs': join(folder, 'data'),
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    ...tls?.settings,
    ...options.settings,
  }
  const scram = Object.entries(options.scram ?? {}).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-256=[name=${name},password=${password}]`,
  ])
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  const broker = await startBroker(folder, jars, settings, scram).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  return {
    ...broker,
    address: `127.0.0.1:${port}`,
    listeners: Object.fromEntries(addresses),
    certificate: tls?.certificate ?? '',
    async [Symbol.asyncDispose]() {
      await broker.kill()
      await remove()
    },
  }
}

/** A Kafka of several brokers, each with a replica of all data. */
export type KafkaCluster = AsyncDisposable & {
  /** `host:port` of all brokers, separated by commas. */
  address: string
  brokers: readonly Pick<KafkaPeer, 'pid' | 'kill' | 'start'>[]
}

/**
 * Starts a Kafka with `count` brokers (at least three, if two in-sync replicas are required), with additional settings.
 */
export const startKafkaCluster = async (
  count: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<KafkaCluster> => {
  const jars = kafkaJars()
  const folder = await mkdtemp(join(tmpdir(), 'tributary-kafka-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const ports = await freePorts(2 * count)
  const at = (place: number): string => `127.0.0.1:${ports[place] ?? 0}`
  const numbers = Array.from({ length: count }, (_, number) => number)
  const brokers = await Promise.all(
    numbers.map(async (number) => {
      const own = join(folder, String(number))
      await mkdir(own)
      const broker = await startBroker(own, jars, {
        ...commonSettings,
        'node.id': String(number + 1),
        'controller.quorum.voters': numbers.map((each) => `${each + 1}@${at(count + each)}`).join(','),
        listeners: `PLAINTEXT://${at(number)},CONTROLLER://${at(count + number)}`,
        'advertised.listeners': `PLAINTEXT://${at(number)}`,
        'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
        'log.dirs': join(own, 'data'),
        'offsets.topic.replication.factor': String(count),
        'transaction.state.log.replication.factor': String(count),
        'transaction.state.log.min.isr': '2',
        ...settings,
      })
      stack.defer(() => broker.kill())
      return broker
    }),
  )
  const started = stack.move()
  return {
    address: numbers.map(at).join(','),
    brokers,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
