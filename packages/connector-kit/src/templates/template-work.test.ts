import { Session } from 'node:inspector/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileTemplates } from '../testing/testing-templates.ts'
import { renderText, templateLimits, templateProblem } from './json-template.ts'

/*
 * The engine counts the real work of a rendering: how often each block of liquidjs's functions ran (V8's precise
 * coverage). So the tests find work that is not charged, independent of the clock.
 */
const session = new Session()
beforeAll(async () => {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
})
afterAll(() => session.disconnect())

/**
 * A tenth of the product's budget: counting blocks is slow, and proportions are the same for a part as for the whole.
 */
const budgetOfTests = templateLimits.work / 10

/** The number of liquidjs blocks that ran during a call. */
const blocksOf = async (call: () => void): Promise<number> => {
  await session.post('Profiler.takePreciseCoverage')
  call()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  let blocks = 0
  for (const script of result)
    if (script.url.includes('liquidjs'))
      for (const { ranges } of script.functions) for (const { count } of ranges) blocks += count
  return blocks
}

type Measured = { problem: string; work: number; over: number; blocks: number }

const measure = async (template: string, variables: Record<string, unknown> = {}): Promise<Measured> => {
  // Parsing is measured separately.
  renderText(template, {}, { budget: { steps: 0, memory: 0, work: 0, output: 0 } })
  const budget = { ...templateLimits, work: budgetOfTests }
  let problem = ''
  const blocks = await blocksOf(() => {
    const made = renderText(template, variables, { budget })
    problem = 'problem' in made ? made.problem.message : ''
  })
  const spent = budgetOfTests - Math.max(0, budget.work)
  return { problem, work: spent, over: Math.max(0, -budget.work), blocks }
}

/** Minimum units of charged work per block that ran, so that no code runs much longer than charged. */
const minPerBlock = 3

const ended = /reads too much data|too many steps|limit exceeded|output is too large/

describe('each kind of work is charged while it is done', () => {
  test.each(hostileTemplates.map((each) => [each.name, each] as const))('%s', async (_, { template, variables }) => {
    expect(templateProblem(template, 'text')).toBeUndefined()
    const { problem, work, blocks } = await measure(template, variables)
    expect(problem).toMatch(ended)
    expect(work).toBeLessThanOrEqual(budgetOfTests)
    expect(blocks * minPerBlock).toBeLessThanOrEqual(work + 100_000)
  })
})

/** Deterministic pseudorandom numbers (mulberry32). */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A random template from all parts of the language. */
const generated = (seed: number): string => {
  const next = numbers(seed)
  const pick = <T>(choices: readonly T[]): T => choices[next(choices.length)] as T
  const value = (): string =>
    pick([
      '1',
      '"text"',
      'true',
      'nil',
      'empty',
      'a',
      'l',
      'o',
      'o.k1',
      'l[0]',
      'l.size',
      'l[l[0]]',
      '(1..50)',
      'x',
      'i',
    ])
  const filter = (): string =>
    pick([
      '| upcase',
      '| append: a',
      '| split: ""',
      '| join: a',
      '| plus: 1',
      '| uniq',
      '| concat: l',
      '| map: "k1"',
      '| replace: "t", a',
      '| date: "%B %d"',
      '| json',
      '| sha256',
      '| sum',
      '| sum: "k1"',
      '| url_encode',
      '| slice: 0, 5',
      '| strip_html',
      '| reverse',
      '| truncatewords: 3',
      '| default: l',
      '| size',
    ])
  const filtered = (): string => `${value()} ${Array.from({ length: next(4) }, filter).join(' ')}`
  const condition = (): string =>
    Array.from(
      { length: 1 + next(6) },
      () => `${pick(['', 'not '])}${value()} ${pick(['==', '!=', '<', '>', 'contains'])} ${value()}`,
    ).join(pick([' and ', ' or ']))
  const part = (depth: number): string => {
    const inner = (): string => (depth > 0 ? block(depth - 1) : 't')
    const kinds: (() => string)[] = [
      () => 'text',
      () => `{{ ${filtered()} }}`,
      () => `{% assign x = ${filtered()} %}`,
      () =>
        `{% for i in ${pick(['(1..200)', 'l', 'o', 'x'])} ${pick(['', 'reversed', 'limit: 20', 'offset: 2'])} %}${inner()}{% endfor %}`,
      () => `{% if ${condition()} %}${inner()}{% elsif ${condition()} %}${inner()}{% else %}${inner()}{% endif %}`,
      () => `{% unless ${condition()} %}${inner()}{% endunless %}`,
      () =>
        `{% case ${value()} %}{% when ${value()}, ${value()} %}${inner()}{% when ${value()} or ${value()} %}${inner()}{% endcase %}`,
      () => `{% cycle ${value()}, ${value()} %}`,
      () => `{% echo ${filtered()} %}`,
      () => `{% liquid\nassign x = ${filtered()}\necho x\n%}`,
      () => '{% increment n %}',
      () => '{% raw %}{{ raw }}{% endraw %}',
    ]
    return pick(kinds)()
  }
  const block = (depth: number): string => Array.from({ length: 1 + next(3) }, () => part(depth)).join('')
  return `{% for i in (1..9000) %}${block(4)}{% endfor %}`
}

describe('random templates', () => {
  const variables = {
    a: 'some text '.repeat(50),
    l: Array.from({ length: 200 }, (_, index) => index % 7),
    o: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, `v${index}`])),
  }

  test('random templates do not exceed the budget, and their work is charged', async () => {
    let rendered = 0
    for (let seed = 1; seed <= 60; seed++) {
      const template = generated(seed)
      if (templateProblem(template, 'text') !== undefined) continue
      rendered++
      const { work, over, blocks } = await measure(template, variables)
      // Work is charged before it is done. The last piece can be large, and is not done if it exceeds the budget.
      expect(over === 0 || work === budgetOfTests, template).toBe(true)
      expect(blocks * minPerBlock, template).toBeLessThanOrEqual(work + 100_000)
    }
    expect(rendered).toBeGreaterThan(40)
  })
})

describe('parsing takes work proportional to the characters', () => {
  const filled = (part: string, before = '', after = ''): string => {
    const room = templateLimits.characters - before.length - after.length
    return before + part.repeat(Math.floor(room / part.length)) + after
  }
  test.each<[string, string]>([
    ['outputs', '{{a}}'.repeat(templateLimits.parts)],
    ['filters', filled('|plus:1', '{{a', '}}')],
    ['paths', filled('a.', '{{', 'a}}')],
    ['brackets', filled('a[', '{{', '}}')],
    ['parentheses', filled('(', '{{', '}}')],
    ['operators', filled('not ', '{% if ', '1 %}{% endif %}')],
    ['nested conditions', '{%if a%}'.repeat(499) + '{%endif%}'.repeat(499)],
    ['conditions that do not end', '{%if a%}'.repeat(1000)],
    ['liquid tags in liquid tags', filled('liquid ', '{% ', '%}')],
    ['lines of a liquid tag', filled('# \n', '{% liquid\n', '%}')],
    ['quotes that do not end', filled('"\\"', '{{ ', ' }}')],
    ['raw text that does not end', filled('{% endraw', '{% raw %}')],
    ['raw text', filled('{{', '{% raw %}', '{% endraw %}')],
    ['comments', filled('{%', '{% comment %}', '{% endcomment %}')],
    ['spaces', filled(' ', '{{', '}}')],
    ['values of when', filled('1,', '{% case 1 %}{% when ', '1 %}{% endcase %}')],
    ['candidates', filled('1,', '{% cycle ', '1 %}')],
    ['opened and not closed', filled('{', '')],
    ['lines', filled('\n', '', '{{ a')],
  ])('%s', async (_, template) => {
    expect(template.length).toBeLessThanOrEqual(templateLimits.characters)
    const blocks = await blocksOf(() => templateProblem(template))
    expect(blocks).toBeLessThan(100 * templateLimits.characters)
  })
})
