// The parser of templates, in a chunk of its own: `lib/settings/template-check.ts` loads it when the first template is edited.
import { templateFilters, templateProblemText, templateProblemWord, templateTags } from '@tributary/contract'
import { Liquid, LiquidError } from 'liquidjs'

/** Maximum characters of a template, as at the server. */
const longest = 10_000

const createEngine = (): Liquid => {
  const engine = new Liquid({ strictFilters: true, ownPropertyOnly: true, parseLimit: longest, templates: {} })
  for (const name of Object.keys(engine.tags)) if (!templateTags.some((tag) => tag === name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!templateFilters.includes(name)) delete engine.filters[name]
  engine.registerFilter('json', (value: unknown) => JSON.stringify(value))
  return engine
}

const engine = createEngine()

/** Why a text is no template, in the server's words: `Error at {context}` and what is wrong there; undefined when it is one. */
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
