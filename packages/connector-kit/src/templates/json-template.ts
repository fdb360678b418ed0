import { type TemplateProblem, templateFilters, templateProblemWord, templateTags } from '@tributary/contract'
import { characterAt } from '@tributary/kernel'
import {
  Liquid,
  LiquidError,
  LiquidTag,
  Output,
  type Parser,
  type TagToken,
  type Template,
  type TopLevelToken,
  toValueSync,
} from 'liquidjs'
import { LRUCache } from 'lru-cache'
import { decimalFilters } from './decimal-filters.ts'
import { countNodes } from './template-cost.ts'
import {
  CountedContext,
  countedOperators,
  countingWork,
  countWhole,
  countWork,
  type WorkBudget,
} from './template-work.ts'

/**
 * Limits of a template.
 * - The text: characters, and number of tags and outputs.
 * - One rendering: the rendered parts (each iteration of a loop counts), and the characters and items that filters and
 * loops create.
 * - Also one rendering: the work of everything that it evaluates and reads (see template-work.ts), and the characters
 * of its output.
 *
 * Work is counted, not timed, because on a busy machine a limit of 50 ms once rejected a template of one line. A
 * template near all limits takes about 20 ms.
 */
export const templateLimits = {
  characters: 10_000,
  parts: 1000,
  steps: 50_000,
  memory: 4_000_000,
  work: 12_000_000,
  output: 512 * 1024,
} as const

/**
 * Number of cached compiled templates, and of their characters; the least recently used is evicted first. A character
 * may need 270 bytes when compiled (measured with outputs of one letter), so 1,024 long templates would need gigabytes.
 * Each owner has a share, so that the many templates of one owner do not evict those of others.
 */
export const templateCacheEntries = 1024
const rememberedCharacters = 400_000
const ownersCharacters = rememberedCharacters / 4

/**
 * How `{{ … }}` writes a value: `json` escapes texts for use inside quotes, `text` leaves them unchanged, `value` keeps
 * the type of a value that stands alone.
 */
export type TemplateForm = 'json' | 'text' | 'value'

const tooMuch = (): Error => new Error("the template's output is too large")

const bounded = (text: string): string => {
  if (text.length > templateLimits.output) throw tooMuch()
  return text
}

const jsonOf = (value: unknown): string => bounded(JSON.stringify(value ?? null))

/**
 * Formats a value of `{{ … }}` for JSON: lists and objects as JSON; texts as the inside of a JSON string, for use in
 * quotes.
 */
const inJson = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return JSON.stringify(bounded(value)).slice(1, -1)
  return jsonOf(value)
}

/** Formats a value of `{{ … }}` for plain text: texts unchanged, lists and objects as JSON. */
const inText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? bounded(value) : jsonOf(value)
}

/** Removes the nested form of the `liquid` tag, which would be parsed once for each tag that contains it. */
class OuterLiquidTag extends LiquidTag {
  constructor(token: TagToken, remainTokens: TopLevelToken[], liquid: Liquid, parser: Parser) {
    if (!token.getText().startsWith('{%')) throw new Error('tag "liquid" cannot stand in another')
    super(token, remainTokens, liquid, parser)
  }
}

/** Wraps a conversion to text, so that the work of the value is counted first. */
const counting = (escape: (value: unknown) => unknown) =>
  function (this: { context?: unknown }, value: unknown): unknown {
    countWhole(this.context, value)
    return escape(value)
  }

const handlerOf = (filter: Liquid['filters'][string] | undefined) =>
  typeof filter === 'function' ? filter : filter?.handler

const createEngine = (outputEscape: (value: unknown) => unknown): Liquid => {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    parseLimit: templateLimits.characters,
    memoryLimit: templateLimits.memory,
    timezoneOffset: 0,
    outputEscape: counting(outputEscape) as (value: unknown) => string,
    operators: countedOperators,
    // No template can be included; the tags that include templates are also removed.
    templates: {},
  })
  for (const name of Object.keys(engine.tags)) if (!templateTags.some((tag) => tag === name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!templateFilters.includes(name)) delete engine.filters[name]
  engine.tags['liquid'] = OuterLiquidTag
  for (const [name, filter] of Object.entries(decimalFilters)) engine.registerFilter(name, filter)
  const { split } = engine.filters
  engine.registerFilter('split', function (value: unknown, ...args: unknown[]): unknown {
    // With an empty separator, Ruby splits a text into characters, JavaScript into UTF-16 units.
    if (typeof value === 'string' && args[0] === '') {
      this.context.memoryLimit.use(value.length)
      return Array.from(value)
    }
    return handlerOf(split)?.call(this, value, ...args)
  })
  const { replace, first, last } = engine.filters
  engine.registerFilter('replace', function (value: unknown, ...args: unknown[]): unknown {
    const [pattern, replacement] = args
    if (typeof value !== 'string' || pattern !== '' || typeof replacement !== 'string')
      return handlerOf(replace)?.call(this, value, ...args)
    this.context.memoryLimit.use(value.length * (replacement.length + 1))
    return Array.from(value).join(replacement)
  })
  engine.registerFilter('first', function (value: unknown): unknown {
    return typeof value === 'string' ? characterAt(value, 0) : handlerOf(first)?.call(this, value)
  })
  engine.registerFilter('last', function (value: unknown): unknown {
    return typeof value === 'string' ? characterAt(value, value.length - 1) : handlerOf(last)?.call(this, value)
  })
  // The same characters as in Ruby, `CGI.escape`.
  engine.registerFilter('url_encode', function (value: unknown): unknown {
    const text = typeof value === 'string' ? value.toWellFormed() : inText(value)
    this.context.memoryLimit.use(3 * Buffer.byteLength(text))
    return encodeURIComponent(text)
      .replaceAll('%20', '+')
      .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  })
  engine.registerFilter('json', {
    raw: true,
    handler(value: unknown) {
      countWhole(this.context, value)
      const text = jsonOf(value)
      this.context.memoryLimit.use(text.length)
      return text
    },
  })
  for (const [name, filter] of Object.entries(engine.filters)) engine.filters[name] = countingWork(name, filter)
  return engine
}

const engines: Readonly<Record<TemplateForm, Liquid>> = {
  json: createEngine(inJson),
  text: createEngine(inText),
  value: createEngine((value) => value),
}
type Compiled = { template: Template[]; characters: number; owner: string }
const charactersOf = new Map<string, number>()

/** Returns the names of the filters that templates can use. */
export const templateFilterNames = (): string[] => Object.keys(engines.text.filters)

const tooManyParts = (): Error => new Error(`the template has more than ${templateLimits.parts} tags and outputs`)

const parse = (text: string, form: TemplateForm): Template[] => {
  // This check precedes parsing, because ten thousand characters of outputs take ten times as long as text.
  if (text.split(/\{[{%]/, templateLimits.parts + 2).length > templateLimits.parts + 1) throw tooManyParts()
  const template = engines[form].parse(text)
  // Text between the parts also counts, and so do the lines of a liquid tag.
  if (countNodes(template, countWork) > 2 * templateLimits.parts + 1) throw tooManyParts()
  return template
}

const noteCharacters = (owner: string, change: number): void => {
  const characters = (charactersOf.get(owner) ?? 0) + change
  if (characters === 0) charactersOf.delete(owner)
  else charactersOf.set(owner, characters)
}

const compiled = new LRUCache<string, Compiled>({
  max: templateCacheEntries,
  maxSize: rememberedCharacters,
  sizeCalculation: ({ characters }) => characters,
  onInsert: ({ owner, characters }) => noteCharacters(owner, characters),
  dispose: ({ owner, characters }) => noteCharacters(owner, -characters),
})

/** Evicts cached templates of an owner until the owner is within its share. */
const makeRoom = (owner: string): void => {
  for (const key of compiled.rkeys()) {
    if ((charactersOf.get(owner) ?? 0) <= ownersCharacters) return
    if (compiled.peek(key)?.owner === owner) compiled.delete(key)
  }
}

const compile = (text: string, form: TemplateForm, owner: string): Template[] => {
  const key = `${owner}:${form}:${text}`
  const known = compiled.get(key)
  if (known !== undefined) return known.template
  const entry = { template: parse(text, form), characters: text.length + 1, owner }
  compiled.set(key, entry)
  makeRoom(owner)
  return entry.template
}

const problemOf = (error: unknown): TemplateProblem => ({
  context: LiquidError.is(error) ? (error as LiquidError).context : '',
  message: error instanceof Error ? templateProblemWord(error.message) : String(error),
})

/** Results of the last checked texts. */
const looked = new LRUCache<string, { problem: TemplateProblem | undefined }>({
  maxSize: rememberedCharacters,
  sizeCalculation: (_, key) => key.length,
})

const look = (text: string, form: TemplateForm): TemplateProblem | undefined => {
  try {
    parse(text, form)
    return undefined
  } catch (error) {
    return problemOf(error)
  }
}

/** Returns why a text is not a Liquid template; undefined if it is valid. Only the result is cached, for a while. */
export const templateProblem = (text: string, form: TemplateForm = 'json'): TemplateProblem | undefined => {
  const key = `${form}:${text}`
  const known = looked.get(key)
  if (known !== undefined) return known.problem
  const problem = look(text, form)
  looked.set(key, { problem })
  return problem
}

/** A path of a variable; a variable inside brackets stands as undefined. */
export type TemplatePath = readonly (string | number | undefined)[]

/**
 * Returns the paths of the variables that a template reads from outside, by the library's own analysis, or why the text
 * is not a template.
 */
export const templateReads = (text: string): { paths: TemplatePath[] } | { problem: TemplateProblem } => {
  try {
    const paths = engines.text.globalVariableSegmentsSync(parse(text, 'text'), { partials: false })
    return { paths: paths.map((names) => names.map((name) => (typeof name === 'object' ? undefined : name))) }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

/** Returns the paths of `templateReads`; empty for a text that is not a template. */
export const templatePaths = (text: string): readonly TemplatePath[] => {
  const reads = templateReads(text)
  return 'paths' in reads ? reads.paths : []
}

/** The remaining budget of renderings. Renderings with the same object share it. */
export type TemplateBudget = WorkBudget & { output: number }

/** Returns the full budget of a single rendering. */
const wholeBudget = (): TemplateBudget => {
  const { steps, memory, work, output } = templateLimits
  return { steps, memory, work, output }
}

/** Collects the output until the budget is used up. */
const createEmitter = (budget: TemplateBudget) => ({
  buffer: '',
  write(part: unknown): void {
    // Values that are neither texts nor numbers were converted before.
    if (typeof part !== 'string' && typeof part !== 'number') return
    const text = String(part)
    budget.work -= text.length
    budget.output -= text.length
    if (budget.output < 0) throw tooMuch()
    this.buffer += text
  },
})

export type Rendered = { text: string } | { problem: TemplateProblem }

export type RenderOptions = {
  /** The budget of the rendering; by default the full budget of one rendering. */
  budget?: TemplateBudget
  /** The owner of the template, such as a workspace: the cache of compiled templates is divided among owners. */
  owner?: string
}

const render = (
  text: string,
  form: TemplateForm,
  variables: Readonly<Record<string, unknown>>,
  { budget = wholeBudget(), owner = '' }: RenderOptions,
): Rendered => {
  try {
    const template = compile(text, form, owner)
    const engine = engines[form]
    const emitter = createEmitter(budget)
    const context = new CountedContext({ ...variables }, engine.options, budget)
    toValueSync(engine.renderer.renderTemplates(template, context, emitter))
    return { text: emitter.buffer }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

/**
 * Renders a Liquid template that writes JSON. Values are escaped for use inside quotes; the filter `json` writes a
 * whole value. If `templateLimits` are exceeded, the result is a problem. Only own properties of the variables can be
 * read, files cannot be read, and times are in UTC.
 */
export const renderTemplate = (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  options: RenderOptions = {},
): Rendered => render(text, 'json', variables, options)

/**
 * Renders a Liquid template that writes plain text: texts unchanged, lists and objects as JSON. Otherwise like
 * `renderTemplate`.
 */
export const renderText = (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  options: RenderOptions = {},
): Rendered => render(text, 'text', variables, options)

/** Catches the value of the only output of a template. */
const createValueEmitter = () => {
  const emitter = {
    buffer: '',
    value: undefined as unknown,
    write(part: unknown): void {
      emitter.value = part
    },
  }
  return emitter
}

/**
 * Renders a template whose only part is one output, such as `{{ properties }}`, to the value itself: numbers keep their
 * digits, and undefined stands for no value. Renders any other template like `renderText`. Otherwise like
 * `renderTemplate`.
 */
export const renderValue = (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  options: RenderOptions = {},
): { value: unknown } | { problem: TemplateProblem } => {
  try {
    const { budget = wholeBudget(), owner = '' } = options
    const template = compile(text, 'value', owner)
    if (template.length !== 1 || !(template[0] instanceof Output)) {
      const rendered = render(text, 'text', variables, { budget, owner })
      return 'problem' in rendered ? rendered : { value: rendered.text }
    }
    const engine = engines.value
    const emitter = createValueEmitter()
    const context = new CountedContext({ ...variables }, engine.options, budget)
    toValueSync(engine.renderer.renderTemplates(template, context, emitter))
    return { value: emitter.value ?? undefined }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}
