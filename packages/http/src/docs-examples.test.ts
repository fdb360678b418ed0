import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Method, methodList } from '@tributary/contract'
import { expect, test } from 'vitest'
import { ignoredBy, unknownBodyKeys } from './unknown-keys.ts'

const folder = fileURLToPath(new URL('../../../docs', import.meta.url))

type Example = { page: string; verb: string; path: string; body: unknown }

/** Calls of the API with a JSON body, from the examples of the documentation pages. */
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .flatMap((page) =>
    readFileSync(`${folder}/${page}`, 'utf8')
      .split('```sh\n')
      .slice(1)
      .flatMap((rest): Example[] => {
        const [code = ''] = rest.split('\n```')
        const path = code.split('/api/')[1]?.split(/["\s]/)[0]
        const json = code.split("-d '")[1]?.split("'")[0]
        // Values that the shell inserts are unknown here.
        if (code.includes('$(')) return []
        if (path === undefined || json === undefined || !json.startsWith('{')) return []
        const verb = code.split('-X ')[1]?.split(' ')[0] ?? 'POST'
        return [{ page, verb, path: `/${path.split('?')[0]}`, body: JSON.parse(json) }]
      }),
  )

/** Returns the method for a path, whose variables are in capitals. */
const methodOf = ({ verb, path }: Example): Method | undefined =>
  methodList.find((method) => {
    const steps = method.path.split('/')
    const given = path.split('/')
    return (
      method.verb === verb &&
      steps.length === given.length &&
      steps.every((step, index) => {
        const own = given[index]?.replace(/^\$?[A-Z][A-Z_]+/, '{}') ?? ''
        return own === step.replace(/\{\w+\}/, '{}')
      })
    )
  })

test('the documentation contains complete examples of audiences, computed traits, mappings, and syncs', () => {
  const named = examples.map((example) => methodOf(example)?.name)
  for (const name of ['audiences.create', 'computedTraits.create', 'mappings.update', 'syncs.create'])
    expect(named).toContain(name)
})

test.each(examples.map((example) => [example.page, example.path, example] as const))(
  '%s: the example for %s is valid and has no unknown fields',
  (_, __, example) => {
    const method = methodOf(example)
    if (method?.request === undefined) throw new Error(`No method takes ${example.verb} ${example.path}`)
    expect(method.request.safeParse(example.body).error?.issues ?? []).toEqual([])
    expect(unknownBodyKeys(method, ignoredBy(method, methodList).always, example.body)).toEqual([])
  },
)
