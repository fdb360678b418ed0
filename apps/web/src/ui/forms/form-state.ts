import { isRecord } from '@tributary/kernel/record'
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'

/**
 * The values of a form, by the names of its fields; one level of groups (`settings.url` is `url` of the group
 * `settings`).
 */
export type Values = Record<string, unknown>

/** The error of a field or the form; `code` is for callers that render it differently. */
export type Problem = { message: string; code: string }

/** The values as they were accepted, or messages by the names of fields. */
export type Checked<T> = { values: T } | { problems: Readonly<Record<string, string>> }

/** The check of a form before it submits. */
export type Rules<T extends Values> = (values: T) => Promise<Checked<T>>

/** A moment of a form. */
export type FormState<T extends Values> = {
  values: T
  problems: Readonly<Record<string, Problem>>
  /** The error of the whole form. */
  failure: Problem | undefined
  submitting: boolean
  /** The number of ended submits, accepted or not. */
  submits: number
}

/** The errors of a refused `onSubmit`: for fields, the first of which gets the cursor, or for the whole form. */
export type Refusal = { problems: Readonly<Record<string, Problem>>; failure?: Problem | undefined }

/** A form while its page is open; the same object from the first render on. */
export type FormHandle<T extends Values> = {
  read: () => FormState<T>
  /** Calls `listener` after every change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void
  /** Sets one field. After the first submit the rules are checked again, and the problem of this field is shown. */
  change: (name: string, value: unknown) => void
  /** Stores the control of a field, which is focused on an error; null removes it. */
  place: (name: string, control: HTMLElement | null) => void
  focus: (name: string) => void
  /**
   * Checks all, and calls `onSubmit` with what the rules accept. It resolves to what it was refused with, if it was. Does
   * nothing while an earlier submit is under way.
   */
  submit(onSubmit: (values: T) => Promise<Refusal | undefined>): Promise<void>
  /** Checks by these rules from now on. */
  follow(rules: Rules<T>): void
}

/** `settings.url` in its parts: the group, and the name inside. */
const parts = (name: string): [group: string, inner?: string] => {
  const at = name.indexOf('.')
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)]
}

const isGroup = (value: unknown): value is Values => isRecord(value)

/** The value of a field. */
export const valueOf = (values: Values, name: string): unknown => {
  const [group, inner] = parts(name)
  const value = values[group]
  return inner === undefined ? value : isGroup(value) ? value[inner] : undefined
}

/** True if the form has a field with this name; a group is not a field. */
export const isField = (values: Values, name: string): boolean => {
  const [group, inner] = parts(name)
  return Object.hasOwn(values, group) && isGroup(values[group]) === (inner !== undefined)
}

/** The values with one value changed. */
const withValue = <T extends Values>(values: T, name: string, value: unknown): T => {
  const [group, inner] = parts(name)
  const before = values[group]
  return { ...values, [group]: inner === undefined ? value : { ...(isGroup(before) ? before : {}), [inner]: value } }
}

const without = <T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([each]) => each !== name))

/** Makes a form with its first values. */
export const createForm = <T extends Values>(values: T, firstRules: Rules<T>): FormHandle<T> => {
  let rules = firstRules
  let state: FormState<T> = { values, problems: {}, failure: undefined, submitting: false, submits: 0 }
  const listeners = new Set<() => void>()
  const controls = new Map<string, HTMLElement>()
  const set = (next: Partial<FormState<T>>): void => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  /** Brings the cursor to the first of these fields on the page. */
  const focusFirst = (names: readonly string[]): void => {
    const [first] = names
      .flatMap((name) => controls.get(name) ?? [])
      .sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
    first?.focus()
  }
  const changed = new Set<string>()
  const checkAgain = async (): Promise<void> => {
    const { values: asked } = state
    const checked = await rules(asked)
    // The check of later input includes this one.
    if (state.values !== asked) return
    let problems = { ...state.problems }
    for (const name of changed) {
      const message = 'problems' in checked ? checked.problems[name] : undefined
      problems = without(problems, name)
      if (message !== undefined) problems[name] = { message, code: '' }
    }
    changed.clear()
    set({ problems })
  }
  return {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    change(name, value) {
      set({ values: withValue(state.values, name, value) })
      if (state.submits === 0) return
      changed.add(name)
      void checkAgain()
    },
    place(name, control) {
      if (control === null) controls.delete(name)
      else controls.set(name, control)
    },
    focus: (name) => controls.get(name)?.focus(),
    async submit(onSubmit) {
      if (state.submitting) return
      set({ submitting: true })
      const checked = await rules(state.values)
      if ('problems' in checked) {
        const problems = Object.entries(checked.problems).map(([name, message]) => [name, { message, code: '' }])
        set({
          problems: Object.fromEntries(problems),
          failure: undefined,
          submitting: false,
          submits: state.submits + 1,
        })
        focusFirst(Object.keys(checked.problems))
        return
      }
      set({ problems: {}, failure: undefined })
      const refusal = await onSubmit(checked.values)
      set({ submitting: false, submits: state.submits + 1, ...refusal })
      const [first] = Object.keys(refusal?.problems ?? {})
      if (first !== undefined) controls.get(first)?.focus()
    },
    follow(next) {
      rules = next
    },
  }
}

/**
 * A form that checks by `rules` on submit, then again on every change, and puts the cursor in the first field in error.
 * Changed initial values are ignored; changed rules apply. `useApiForm` builds the rules from a schema.
 */
export const useRuledForm = <T extends Values>(rules: Rules<T>, values: T): FormHandle<T> => {
  const [form] = useState(() => createForm(values, rules))
  useLayoutEffect(() => form.follow(rules), [form, rules])
  return form
}

/** A part of a form's state, which must be the same value while nothing in it has changed. */
export const useFormState = <T extends Values, Part>(
  form: Pick<FormHandle<T>, 'read' | 'subscribe'>,
  choose: (state: FormState<T>) => Part,
): Part => useSyncExternalStore(form.subscribe, () => choose(form.read()))

/**
 * Puts the cursor in a field when the form appears: for pages that are one form. Only the first name counts: a later
 * one must not move the cursor while the user types.
 */
export const useFirstField = <T extends Values>(form: FormHandle<T>, name: keyof T & string): void => {
  const [first] = useState<string>(name)
  useEffect(() => {
    // A dialog notes what had the focus, to give it back, when the effects of what it shows have run.
    const timer = setTimeout(() => form.focus(first))
    return () => clearTimeout(timer)
  }, [form, first])
}
