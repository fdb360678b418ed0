/** The Liquid tags that templates can use. They neither read files nor build HTML. */
export const templateTags = [
  'assign',
  'break',
  'case',
  'comment',
  'continue',
  'cycle',
  'decrement',
  'echo',
  'for',
  'if',
  'increment',
  'liquid',
  'raw',
  'unless',
  '#',
] as const

/**
 * The Liquid filters of templates, for texts, numbers, lists and times. Filters that run expressions, or whose work is
 * not counted, are excluded. `json`, which writes a whole value, is our own.
 */
export const templateFilters: readonly string[] = `
  append capitalize downcase lstrip prepend remove remove_first replace replace_first
  rstrip slice split strip strip_html strip_newlines truncate truncatewords upcase
  base64_decode base64_encode sha256 url_encode
  abs at_least at_most ceil divided_by floor minus modulo plus round sum times
  compact concat first join last map reverse size uniq
  date date_to_xmlschema default
`
  .trim()
  .split(/\s+/)

/** Why a template is invalid: the place with the lines around it, and the error. */
export type TemplateProblem = { context: string; message: string }

/** Returns a problem as readable text: the place with its lines, then the error. */
export const templateProblemText = ({ context, message }: TemplateProblem): string =>
  context === '' ? `Error at ${message}` : `Error at ${context}\n${message}`

/** Returns the parser's message without the position, which the context shows. */
export const templateProblemWord = (message: string): string => message.replace(/, line:\d+, col:\d+$/, '')
