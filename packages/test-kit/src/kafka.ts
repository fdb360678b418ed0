import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endsWithParent, java, kafkaJars } from './kafka-jars.ts'

/** A Kafka of somebody else, real, of one broker in a temporary folder, on ports of loopback. */
export type KafkaPeer = AsyncDisposable & {
  /** `host:port` of the listener without TLS and without a sign-in. */
  address: string
  /** `host:port` of each further listener, by name. */
  listeners: Record<string, string>
  /** Who signed the certificate of listeners with TLS, which is one for localhost: the certificate itself (PEM). */
  certificate: string
  /** The broker's process id; undefined while it does not run. */
  pid(): number | undefined
  /** SIGKILL of the broker; its data stays. */
  kill(): Promise<void>
  /** Starts the broker again on the same ports. */
  start(): Promise<void>
}

export type KafkaPeerOptions = {
  /** Further listeners: their names and their security protocols. */
  listeners?: Record<string, 'SASL_PLAINTEXT' | 'SASL_SSL' | 'SSL'>
  /** More of the broker's settings. */
  settings?: Record<string, string>
  /** Users who sign in by SCRAM-SHA-256, and their passwords. */
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

/** Makes a certificate for localhost with Java's own tool: the settings that show it, and the certificate. */
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

/** Quick to start, and of little memory. */
const javaOptions = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']

const run = (args: readonly string[], jars: string): ChildProcess => {
  const command = [java ?? 'java', ...javaOptions, '-cp', join(jars, '*'), ...args]
  const [program = '', ...rest] =
    endsWithParent === undefined ? command : [endsWithParent, '--pdeathsig', 'KILL', ...command]
  return spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Resolves when the process has said `words`, or with none when it has ended well. */
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

/** Starts a Kafka. Topics are not made by themselves. */
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
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: urls([...open, ['CONTROLLER', `127.0.0.1:${controller}`]]),
    'advertised.listeners': urls(open),
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': [
      'PLAINTEXT:PLAINTEXT',
      'CONTROLLER:PLAINTEXT',
      ...further.map(([name, protocol]) => `${name}:${protocol}`),
    ].join(','),
    'log.dirs': join(folder, 'data'),
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    ...tls?.settings,
    ...options.settings,
  }
  const file = join(folder, 'server.properties')
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const scram = Object.entries(options.scram ?? {}).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-256=[name=${name},password=${password}]`,
  ])
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
  const dispose = async (): Promise<void> => {
    await kill()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await said(run(['kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', file, ...scram], jars))
    await start()
  } catch (error) {
    await dispose()
    throw error
  }
  return {
    address: `127.0.0.1:${port}`,
    listeners: Object.fromEntries(addresses),
    certificate: tls?.certificate ?? '',
    pid: () => child?.pid,
    kill,
    start,
    [Symbol.asyncDispose]: dispose,
  }
}
