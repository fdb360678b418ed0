import { Context, defaultOperators, type Liquid, type Operators } from 'liquidjs'

type Filter = Liquid['filters'][string]

/** What each lookup, comparison and filter counts as at least; an item of a list or object is as much work as this many characters. */
const least = 64
const perItem = 40

/** How much there is to go through in a value: the characters of a text, the items of a list and of lists in it, the keys of an object. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (!Array.isArray(value)) return perItem * Object.keys(value).length
  let size = 0
  const lists: unknown[][] = [value]
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    size += perItem * list.length
    for (const item of list) if (Array.isArray(item)) lists.push(item)
  }
  return size
}

/** Looking for a part in a text: at worst each character of the one is compared with each of the other. */
const searchOf = (text: unknown, part: unknown): number =>
  typeof text === 'string' && typeof part === 'string' ? text.length * Math.ceil(part.length / 16) : 0

/** Values that a template reads, counted by how much there is to go through in them: a loop may read one thousands of times. */
export class CountedContext extends Context {
  readonly #left: { work: number }

  constructor(variables: Record<string, unknown>, options: Liquid['options'], left: { work: number }) {
    super(variables, options, { sync: true })
    this.#left = left
  }

  /** Takes work from what is left. Throws when that is used up. */
  count(work: number): void {
    this.#left.work -= least + work
    if (this.#left.work < 0) throw new Error('the template goes through too much')
  }

  override *_getFromScope(...args: Parameters<Context['_getFromScope']>): Generator<unknown, unknown, unknown> {
    const value = yield super._getFromScope(...args)
    this.count(sizeOf(value))
    return value
  }

  override readProperty(...[holder, key]: Parameters<Context['readProperty']>): unknown {
    // The size of an object is counted anew each time.
    this.count(key === 'size' && !Array.isArray(holder) ? sizeOf(holder) : 0)
    return super.readProperty(holder, key)
  }
}

const count = (context: Context, work: number): void => {
  if (context instanceof CountedContext) context.count(work)
}

const lookFor = defaultOperators['contains']

/** The operators of Liquid. What they compare was counted when it was read; looking for a text in a text may be more. */
export const countedOperators: Operators = {
  ...defaultOperators,
  contains(text: unknown, part: unknown, context: Context) {
    count(context, searchOf(text, part))
    return lookFor?.(text, part, context) ?? false
  },
}

/** Filters that look for their first argument in the text. */
const searching = new Set(['split', 'replace', 'replace_first', 'remove', 'remove_first'])

/** What a filter goes through beyond its value and arguments. */
const moreWork = (name: string, value: unknown, [first]: readonly unknown[]): number => {
  if (searching.has(name)) return searchOf(value, first)
  // Each item is asked for each part of the path.
  if (name === 'map') return typeof first === 'string' ? sizeOf(value) * first.length : 0
  // A whole date and time is made for two characters.
  if (name === 'date') return typeof first === 'string' ? 400 * first.length : 0
  return name === 'strip_html' ? 8 * sizeOf(value) : 0
}

/** A filter that counts what it goes through. */
export const countingWork = (name: string, filter: Filter): Filter => {
  const handler = typeof filter === 'function' ? filter : filter.handler
  const counted: typeof handler = function (value, ...args) {
    const sizes = args.reduce<number>((sum, arg) => sum + sizeOf(arg), sizeOf(value))
    count(this.context, sizes + moreWork(name, value, args))
    return handler.call(this, value, ...args)
  }
  return typeof filter === 'function' ? counted : { ...filter, handler: counted }
}
