import { parseSync } from 'oxc-parser'
import { isRecord } from '../../packages/kernel/src/record.ts'

/** The kind of a text for developers. The kind `name` is the name of an export. */
export type TextKind = 'comment' | 'log line' | 'test title' | 'record' | 'name'

/** A text that developers read, at a line counted from 1. */
export type DeveloperText = { kind: TextKind; line: number; text: string }

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const isNode = (value: unknown): value is Node => isRecord(value) && 'type' in value && typeof value.type === 'string'

const logMethods: ReadonlySet<string> = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
const testFunctions: ReadonlySet<string> = new Set(['test', 'it', 'describe'])
/** Whether a comment is an instruction to a tool. */
const isDirective = (text: string): boolean =>
  /^\s*(?:@ts-|@vitest|oxlint-|biome-|v8 |c8 |#|\/\s*<reference|eslint|@__PURE__)/.test(text)

/** Returns the text of a string or a template; each value in a template becomes one word. */
const stringOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return undefined
  return node['quasis'].map((quasi: { value: { cooked: string } }) => quasi.value.cooked).join('value')
}

/** Returns the name of the called function, such as `test` for `test.each(rows)('title')`. */
const calledName = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === 'Identifier') return String(node['name'])
  if (node.type === 'MemberExpression') return calledName(node['object'])
  return node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression'
    ? calledName(node['callee'] ?? node['tag'])
    : undefined
}

/** Whether a call is `logger.info`, `deps.logger.warn` or similar. */
const isLogCall = (callee: unknown): boolean => {
  if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNode(callee['property'])) return false
  if (!logMethods.has(String(callee['property']['name'])) || !isNode(callee['object'])) return false
  const { type, name, property } = callee['object']
  const owner = type === 'Identifier' ? name : isNode(property) ? property['name'] : ''
  return /^log(?:ger)?$/i.test(String(owner))
}

const exportedNames = (node: Node): { name: string; start: number }[] => {
  const declaration = node['declaration']
  if (!isNode(declaration)) return []
  const declared = Array.isArray(declaration['declarations']) ? declaration['declarations'] : [declaration]
  return declared.flatMap((each: unknown) => {
    const id = isNode(each) ? each['id'] : undefined
    return isNode(id) && typeof id['name'] === 'string' ? [{ name: id['name'], start: id.start }] : []
  })
}

/** Returns the comments of a file; consecutive line comments are one comment. */
const commentsOf = (
  source: string,
  comments: readonly { type: string; value: string; start: number; end: number }[],
) => {
  const found: { start: number; end: number; text: string; isLine: boolean }[] = []
  for (const { type, value, start, end } of comments) {
    if (isDirective(value)) continue
    const last = found.at(-1)
    const isLine = type === 'Line'
    const text = isLine ? value : value.replace(/^\*/, '').replace(/^[ \t]*\*/gm, '')
    if (last !== undefined && isLine && last.isLine && /^\s*$/.test(source.slice(last.end, start))) {
      last.text += `\n${text}`
      last.end = end
    } else found.push({ start, end, text, isLine })
  }
  return found
}

/** Returns the texts that developers read in a TypeScript or JavaScript file. */
export const textsOfCode = (file: string, source: string): DeveloperText[] => {
  const { program, comments } = parseSync(file, source)
  const lineStarts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  const lineOf = (start: number): number => {
    let [low, high] = [0, lineStarts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((lineStarts[middle] ?? 0) <= start) low = middle
      else high = middle
    }
    return low + 1
  }
  const texts: DeveloperText[] = commentsOf(source, comments).map(({ start, text }) => ({
    kind: 'comment',
    line: lineOf(start),
    text,
  }))
  const add = (kind: TextKind, start: number, text: string | undefined): void => {
    if (text !== undefined) texts.push({ kind, line: lineOf(start), text })
  }
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    else if (isRecord(node)) {
      if (isNode(node)) {
        if (node.type === 'CallExpression' && Array.isArray(node['arguments'])) {
          const given: unknown[] = node['arguments']
          if (isLogCall(node['callee']))
            add(
              'log line',
              node.start,
              given.map(stringOf).find((text) => text !== undefined),
            )
          else if (testFunctions.has(calledName(node['callee']) ?? ''))
            add('test title', node.start, stringOf(given[0]))
        }
        if (node.type === 'ExportNamedDeclaration')
          for (const { name, start } of exportedNames(node)) add('name', start, name)
      }
      for (const each of Object.values(node)) if (typeof each === 'object') visit(each)
    }
  }
  visit(program)
  return texts
}

/** Returns the prose of a Markdown file: paragraphs, list items, headings and cells of tables, without code. */
export const textsOfRecord = (source: string): DeveloperText[] => {
  const texts: DeveloperText[] = []
  let isCode = false
  let paragraph: DeveloperText | undefined
  for (const [index, line] of source.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const starts = /^\s*(?:[-*+]|\d+\.|#+|>)\s+|^\s*\|/.exec(line)
    if (isCode || /^\s*(?:```.*)?$/.test(line)) paragraph = undefined
    else if (/^\s*\|/.test(line)) {
      for (const cell of line.split('|')) texts.push({ kind: 'record', line: index + 1, text: cell })
      paragraph = undefined
    } else if (paragraph === undefined || starts !== null) {
      paragraph = { kind: 'record', line: index + 1, text: line.slice(starts?.[0].length ?? 0) }
      texts.push(paragraph)
    } else paragraph.text += `\n${line}`
  }
  return texts
}
