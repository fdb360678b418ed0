import { parseSync } from 'oxc-parser'
import { isRecord } from '../../packages/kernel/src/record.ts'

/**
 * A regular expression in a file: its source and flags, or the code that creates the expression if its source is not
 * constant.
 */
export type Expression = { line: number } & ({ source: string; flags: string } | { made: string })

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const isNode = (value: unknown): value is Node => isRecord(value) && typeof value['type'] === 'string'

/** Methods of a string that convert a text argument to a regular expression. */
const takesExpression = new Set(['match', 'matchAll', 'search'])

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && typeof node['name'] === 'string' ? node['name'] : undefined

/**
 * Returns the text of a literal, a template, a concatenation, or a constant of the file; undefined if the text is only
 * known at run time.
 */
const constantOf = (node: unknown, constants: ReadonlyMap<string, unknown>): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined
  if (node.type === 'Identifier') return constantOf(constants.get(nameOf(node) ?? ''), constants)
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const [left, right] = [constantOf(node['left'], constants), constantOf(node['right'], constants)]
    return left === undefined || right === undefined ? undefined : left + right
  }
  const isRaw = node.type === 'TaggedTemplateExpression'
  if (isRaw && !(isNode(node['tag']) && nameOf(node['tag']['property']) === 'raw')) return undefined
  const template = isRaw ? node['quasi'] : node
  if (!isNode(template) || template.type !== 'TemplateLiteral') return undefined
  const texts = (template['quasis'] as { value: { raw: string; cooked: string } }[]).map(({ value }) =>
    isRaw ? value.raw : value.cooked,
  )
  const parts = (template['expressions'] as unknown[]).map((part) => constantOf(part, constants))
  if (parts.includes(undefined)) return undefined
  return texts.map((text, index) => text + (parts[index] ?? '')).join('')
}

/** Returns the arguments of a call that creates a regular expression; undefined for any other node. */
const constructionOf = (node: Node): readonly unknown[] | undefined => {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined
  const callee = node['callee']
  const given = node['arguments'] as unknown[]
  if (nameOf(callee) === 'RegExp') return given
  const isMethod = isNode(callee) && takesExpression.has(nameOf(callee['property']) ?? '')
  const [first] = given
  return isMethod && isNode(first) && first.type === 'Literal' && typeof first['value'] === 'string' ? given : undefined
}

/**
 * Returns the regular expressions of a program: literals, expressions that `RegExp` creates, and texts that a method of
 * a string converts.
 */
export const expressionsOf = (file: string, text: string): Expression[] => {
  const constants = new Map<string, unknown>()
  const constructions: { node: Node; given: readonly unknown[] }[] = []
  const expressions: Expression[] = []
  let line = 1
  let counted = 0
  const lineAt = (offset: number): number => {
    if (offset < counted) [line, counted] = [1, 0]
    for (; counted < offset; counted++) if (text.charCodeAt(counted) === 10) line += 1
    return line
  }
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child)
    if (!isNode(node)) return
    if (isRecord(node['regex'])) {
      const { pattern, flags } = node['regex'] as { pattern: string; flags: string }
      expressions.push({ line: lineAt(node.start), source: pattern, flags })
      return
    }
    if (node.type === 'VariableDeclaration' && node['kind'] === 'const')
      for (const { id, init } of node['declarations'] as Node[]) constants.set(nameOf(id) ?? '', init)
    const given = constructionOf(node)
    if (given !== undefined) constructions.push({ node, given })
    for (const child of Object.values(node)) if (typeof child === 'object') visit(child)
  }
  visit(parseSync(file, text).program)
  for (const { node, given } of constructions) {
    const [source, flags] = [given[0], given[1]].map((part) => constantOf(part, constants))
    const isConstant = source !== undefined && (given[1] === undefined || flags !== undefined)
    const made = text.slice(node.start, node.end)
    // If an expression is created from another expression, only the other one counts, where it is defined.
    if (isNode(given[0]) && isRecord(given[0]['regex'])) continue
    expressions.push({ line: lineAt(node.start), ...(isConstant ? { source, flags: flags ?? '' } : { made }) })
  }
  return expressions
}
