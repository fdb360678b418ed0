// The parser of templates, in a separate chunk: `lib/settings/template-check.ts` loads it when the first template is
// edited.
import { templateFilters, templateProblemText, templateProblemWord, templateTags } from '@tributary/contract'
import { Liquid, LiquidError } from 'liquidjs'

/** Maximum number of characters of a template, the same as on the server. */
const longest = 10_000

const createEngine = (): Liquid => {
  const engine = new Liquid({ strictFilters: true, ownPropertyOnly: true, parseLimit: longest, templates: {} })
  for (const name of Object.keys(engine.tags)) if (!templateTags.some((tag) => tag === name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!templateFilters.includes(name)) delete engine.filters[name]
  engine.registerFilter('json', (value: unknown) => JSON.stringify(value))
  return engine
}

const engine = createEngine()

/**
 * Returns why a text is not a valid template, in the words of the server: `Error at {context}` and the mistake. Returns
 * undefined for a valid template.
 */
export const parseTemplate = (text: string): string | undefined => {
  try {
    engine.parse(text)
    return undefined
  } catch (error) {
    return templateProblemText({
      context: LiquidError.is(error) ? (error as LiquidError).context : '',
      message: error instanceof Error ? templateProblemWord(error.message) : String(error),
    })
  }
}
