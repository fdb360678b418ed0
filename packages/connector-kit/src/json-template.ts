import { type TemplateProblem, templateFilters, templateProblemWord, templateTags } from '@tributary/contract'
import { Liquid, LiquidError, type Template, toValueSync } from 'liquidjs'
import { CountedContext, countedOperators, countingWork } from './template-work.ts'

/**
 * Bounds of a template: characters of its text; of one rendering the parts that are rendered (each turn of a loop counts
 * its own), characters and items that filters and loops make, what all it reads, compares and filters comes to (see
 * template-work.ts), and characters that come out. They are counted, not timed: on a busy machine a limit of 50 ms once
 * refused a template of one line. What comes closest to all of them takes about a second.
 */
export const templateLimits = {
  characters: 10_000,
  steps: 10_000,
  memory: 4_000_000,
  work: 50_000_000,
  output: 512 * 1024,
} as const

/**
 * Compiled templates that are remembered, and their characters; the one that was not used for longest goes first. A
 * character may take 270 bytes when it is compiled (measured with outputs of one letter), so that 1,024 long ones would
 * take gigabytes.
 */
export const templateCacheEntries = 1024
const rememberedCharacters = 400_000

/** What `{{ … }}` writes: `json` escapes texts for the inside of quotes, `text` leaves them as they are. */
export type TemplateForm = 'json' | 'text'

const tooMuch = (): Error => new Error('the template renders to too much')

const bounded = (text: string): string => {
  if (text.length > templateLimits.output) throw tooMuch()
  return text
}

const jsonOf = (value: unknown): string => bounded(JSON.stringify(value ?? null))

/** What `{{ … }}` puts into the text: JSON of lists and objects; of texts the inside of their JSON, for use in quotes. */
const inJson = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return JSON.stringify(bounded(value)).slice(1, -1)
  return jsonOf(value)
}

/** What `{{ … }}` puts into plain text: texts as they are, JSON of lists and objects. */
const inText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? bounded(value) : jsonOf(value)
}

const createEngine = (outputEscape: (value: unknown) => string): Liquid => {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    parseLimit: templateLimits.characters,
    memoryLimit: templateLimits.memory,
    timezoneOffset: 0,
    outputEscape,
    operators: countedOperators,
    // Nothing can be looked up: the tags that would are gone as well.
    templates: {},
  })
  for (const name of Object.keys(engine.tags)) if (!templateTags.some((tag) => tag === name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!templateFilters.includes(name)) delete engine.filters[name]
  engine.registerFilter('json', {
    raw: true,
    handler(value: unknown) {
      const text = jsonOf(value)
      this.context.memoryLimit.use(text.length)
      return text
    },
  })
  for (const [name, filter] of Object.entries(engine.filters)) engine.filters[name] = countingWork(name, filter)
  return engine
}

const engines: Readonly<Record<TemplateForm, Liquid>> = { json: createEngine(inJson), text: createEngine(inText) }
const compiled = new Map<string, Template[]>()
let compiledCharacters = 0

/** Names of the filters that templates may use. */
export const templateFilterNames = (): string[] => Object.keys(engines.text.filters)

const forget = (key: string): void => {
  if (compiled.delete(key)) compiledCharacters -= key.length
}

const compile = (text: string, form: TemplateForm): Template[] => {
  const key = `${form}:${text}`
  const template = compiled.get(key) ?? engines[form].parse(text)
  forget(key)
  compiled.set(key, template)
  compiledCharacters += key.length
  for (const oldest of compiled.keys()) {
    if (compiledCharacters <= rememberedCharacters && compiled.size <= templateCacheEntries) break
    forget(oldest)
  }
  return template
}

const problemOf = (error: unknown): TemplateProblem => ({
  context: LiquidError.is(error) ? (error as LiquidError).context : '',
  message: error instanceof Error ? templateProblemWord(error.message) : String(error),
})

/** Why a text is no Liquid template, or undefined when it is one. */
export const templateProblem = (text: string, form: TemplateForm = 'json'): TemplateProblem | undefined => {
  try {
    compile(text, form)
    return undefined
  } catch (error) {
    return problemOf(error)
  }
}

/** What renderings may still take. Those that are given the same one share it. */
export type TemplateBudget = { steps: number; memory: number; work: number; output: number }

/** The budget of one rendering by itself. */
const wholeBudget = (): TemplateBudget => {
  const { steps, memory, work, output } = templateLimits
  return { steps, memory, work, output }
}

/** Gathers what is rendered, as long as the budget lasts. */
const createEmitter = (budget: TemplateBudget) => ({
  buffer: '',
  write(part: unknown): void {
    // What is no text has been made one by then.
    if (typeof part !== 'string' && typeof part !== 'number') return
    const text = String(part)
    budget.output -= text.length
    if (budget.output < 0) throw tooMuch()
    this.buffer += text
  },
})

export type Rendered = { text: string } | { problem: TemplateProblem }

const render = (
  text: string,
  form: TemplateForm,
  variables: Readonly<Record<string, unknown>>,
  budget: TemplateBudget,
): Rendered => {
  try {
    const template = compile(text, form)
    const engine = engines[form]
    const emitter = createEmitter(budget)
    const context = new CountedContext({ ...variables }, engine.options, budget)
    context.renderLimit.check = () => {
      if (--budget.steps < 0) throw new Error('the template takes too many steps')
    }
    context.memoryLimit.use = (count) => {
      if (Number(count) > 0) budget.memory -= Number(count)
      if (budget.memory < 0) throw new Error('memory alloc limit exceeded')
    }
    toValueSync(engine.renderer.renderTemplates(template, context, emitter))
    return { text: emitter.buffer }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

/**
 * Renders a Liquid template that writes JSON. Values are escaped for use inside quotes; the filter `json` writes a whole
 * value. Within `templateLimits`: what exceeds them is a problem. Only own properties of the variables can be read, no
 * file can be, and times are in UTC.
 */
export const renderTemplate = (text: string, variables: Readonly<Record<string, unknown>>): Rendered =>
  render(text, 'json', variables, wholeBudget())

/**
 * Renders a Liquid template that writes plain text: texts come out as they are, lists and objects as JSON. Takes from the
 * budget, which is that of one rendering unless told; otherwise like `renderTemplate`.
 */
export const renderText = (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  budget: TemplateBudget = wholeBudget(),
): Rendered => render(text, 'text', variables, budget)
