import { itemWork, type SpendWork, workOfText, workOfValue } from '@tributary/contract'
import { characterAt, ExactNumber } from '@tributary/kernel'
import { Context, defaultOperators, type Liquid, type Operators } from 'liquidjs'

import { decimalFilters } from './decimal-filters.ts'

type Filter = Liquid['filters'][string]
type Handler = Extract<Filter, (...args: never[]) => unknown>

/*
 * Work is counted in units of about a nanosecond of a common processor. The file template-cost.ts counts the text of a
 * template. This file counts its values: those that are read, compared, filtered, created and written.
 */

/** Work of each iteration of a loop, and of each rendered part. */
const perStep = 200
/** Work of each name of a path, and of each scope in which a name is looked up. */
const perName = 100
const perScope = 20
/** Work of each created number of a range. */
const perNumber = 120
/** Work of comparing an item of a list, which uses two generators. */
const perComparison = 10 * itemWork

/** Work of a key of an object, and of a key of a very large object, whose keys are sorted each time they are listed. */
const perKey = 60
const perKeyOfMany = 500
const manyKeys = 500

/** Returns the size of a list including its nested lists, or the number of an object's keys. */
const sizeOfObject = (value: object): number => {
  if (!Array.isArray(value)) {
    const keys = Object.keys(value).length
    return keys * (keys > manyKeys ? perKeyOfMany : perKey)
  }
  let size = 0
  const lists: unknown[][] = [value]
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    size += itemWork * list.length
    for (const item of list) if (Array.isArray(item)) lists.push(item)
  }
  return size
}

/** Maximum work of a rendering. */
export type WorkBudget = { steps: number; memory: number; work: number }

/** Charges the values that a template reads by their size, because a loop may read a value thousands of times. */
export class CountedContext extends Context {
  readonly #left: WorkBudget
  /** The variables of a template never change, so each object is measured only once. */
  readonly #sizes = new WeakMap<object, number>()
  /**
   * Whether a filter is running. Filters create texts and lists; outside of filters, new memory is a range of numbers.
   */
  filtering = false
  /** Number of scopes in which a name is looked up: one for each enclosing loop. */
  #scopes = 1

  constructor(variables: Record<string, unknown>, options: Liquid['options'], left: WorkBudget) {
    super(variables, options, { sync: true })
    this.#left = left
    this.renderLimit.check = () => {
      if (--left.steps < 0) throw new Error('the template uses too many steps')
      this.count(perStep)
    }
    this.memoryLimit.use = (given) => {
      const count = Number(given)
      if (!(count > 0)) return
      left.memory -= count
      if (left.memory < 0) throw new Error('memory alloc limit exceeded')
      this.count(this.filtering ? count : perNumber * count)
    }
  }

  /** Takes work from the budget. Throws if it is used up. */
  count(work: number): void {
    this.#left.work -= work
    if (this.#left.work < 0) throw new Error('the template reads too much data')
  }

  /** The size of a value without nested values: characters, items, keys. */
  sizeOf(value: unknown): number {
    if (typeof value === 'string') return value.length
    if (typeof value !== 'object' || value === null) return 0
    let size = this.#sizes.get(value)
    if (size === undefined) {
      size = sizeOfObject(value)
      this.#sizes.set(value, size)
    }
    return size
  }

  /** Charges a value with all nested values, before it is written as JSON. */
  countWhole(value: unknown): void {
    this.count(typeof value === 'string' ? 4 * value.length : workOfValue(value, this.#left.work))
  }

  override push(...args: Parameters<Context['push']>): ReturnType<Context['push']> {
    this.#scopes++
    return super.push(...args)
  }

  override pop(): ReturnType<Context['pop']> {
    this.#scopes--
    return super.pop()
  }

  override *_getFromScope(...args: Parameters<Context['_getFromScope']>): Generator<unknown, unknown, unknown> {
    this.count(perScope * this.#scopes)
    const value = yield super._getFromScope(...args)
    this.count(this.sizeOf(value))
    return value
  }

  override readProperty(...[holder, key]: Parameters<Context['readProperty']>): unknown {
    // Each use of `size` counts the keys of an object again.
    this.count(key === 'size' && !Array.isArray(holder) ? this.sizeOf(holder) : perName)
    const value: unknown = super.readProperty(holder, key)
    return typeof holder === 'string' && typeof value === 'string' ? characterAt(holder, Number(key)) : value
  }
}

/** Charges work if the context counts it; otherwise does nothing. */
export const countWork = (context: unknown, work: number): void => {
  if (context instanceof CountedContext) context.count(work)
}

/** Charges a value with all nested values if the context counts work. */
export const countWhole = (context: unknown, value: unknown): void => {
  if (context instanceof CountedContext) context.countWhole(value)
}

const searchOf = (text: unknown, part: unknown): number =>
  typeof text === 'string' && typeof part === 'string' ? workOfText(text, part) : 0

/**
 * Returns the value to compare. A number beyond doubles is compared by its digits, because equal numbers are different
 * objects.
 */
const comparable = (value: unknown): unknown => (value instanceof ExactNumber ? value.toString() : value)

const comparing = (name: string): Operators[string] => {
  const compare = defaultOperators[name]
  return (left: unknown, right: unknown, context: Context) => {
    const lists = [left, right].filter((each) => Array.isArray(each))
    const items = lists.reduce((sum, list) => sum + sizeOfObject(list), 0) / itemWork
    countWork(context, perComparison * items + (name === 'contains' ? searchOf(left, right) : 0))
    return compare?.(comparable(left) as never, comparable(right) as never, context as never) ?? false
  }
}

/**
 * The operators of Liquid. The operands were charged when they were read; searching lists and texts is charged here.
 */
export const countedOperators: Operators = {
  ...defaultOperators,
  ...Object.fromEntries(['==', '!=', 'contains'].map((name) => [name, comparing(name)])),
}

/** Filters that search for their first argument in the text. */
const searching = new Set(['split', 'replace', 'replace_first', 'remove', 'remove_first'])
/** Filters that process characters or items one by one, and create new ones. */
const thorough = new Set(
  'concat join lstrip map remove replace reverse rstrip slice split strip strip_html truncate uniq url_encode'.split(
    ' ',
  ),
)
/** Directives of a time format that create a locale formatter. The others only read a number. */
const byLanguage = /%[-_0^#:]*(?:[1-9]\d*)?[EO]?[aAbBhcxXZ]/g
const perFormatter = 60_000
const perConversion = 800

const dateWork = (format: unknown, zone: unknown): number => {
  // Without a format, the complete time is written.
  if (typeof format !== 'string') return 10 * perFormatter
  const formatters = format.match(byLanguage)?.length ?? 0
  return perConversion * format.length + perFormatter * (formatters + (zone === undefined ? 0 : 8))
}

/** Returns the work of a filter in addition to reading its value and arguments. */
const moreWork = (
  context: CountedContext,
  name: string,
  value: unknown,
  [first, second]: readonly unknown[],
): number => {
  if (searching.has(name)) return searchOf(value, first)
  // Each item is read for each part of the path.
  if (name === 'map') return typeof first === 'string' ? (context.sizeOf(value) / itemWork) * perName * first.length : 0
  if (name === 'date') return dateWork(first, second)
  if (Object.hasOwn(decimalFilters, name)) return perConversion * (Array.isArray(value) ? value.length : 1)
  return name === 'date_to_xmlschema' ? 20 * perConversion : 0
}

/** Wraps a filter so that it charges its work. */
export const countingWork = (name: string, filter: Filter): Filter => {
  const handler = typeof filter === 'function' ? filter : filter.handler
  const weight = name === 'truncatewords' ? 30 : thorough.has(name) ? 12 : 4
  const counted: Handler = function (value, ...args) {
    const { context } = this
    if (!(context instanceof CountedContext)) return handler.call(this, value, ...args)
    const sizes = args.reduce<number>((sum, arg) => sum + context.sizeOf(arg), context.sizeOf(value))
    context.count(weight * sizes + moreWork(context, name, value, args))
    context.filtering = true
    try {
      return handler.call(this, value, ...args)
    } finally {
      context.filtering = false
    }
  }
  return typeof filter === 'function' ? counted : { ...filter, handler: counted }
}

/**
 * Returns a function that takes work from a budget outside of templates; it throws TooMuchWork if the budget is used
 * up.
 */
export const spending = (left: Pick<WorkBudget, 'work'>): SpendWork => {
  return (work) => {
    left.work -= work
    if (left.work < 0) throw new TooMuchWork()
  }
}

/** Thrown if a budget of `spending` is used up. */
export class TooMuchWork extends Error {
  constructor() {
    super('it reads too much data')
  }
}
