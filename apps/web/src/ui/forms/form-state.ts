import { isRecord } from '@tributary/kernel/record'
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'

/**
 * The values of a form, by the names of its fields. There is one level of groups: `settings.url` is the field `url` of
 * the group `settings`.
 */
export type Values = Record<string, unknown>

/** The error of a field or the form. The `code` is for callers that render some errors differently. */
export type Problem = { message: string; code: string }

/** The result of validation: the accepted values, or messages by the names of fields. */
export type Checked<T> = { values: T } | { problems: Readonly<Record<string, string>> }

/** Validates the values of a form before it is submitted. */
export type Rules<T extends Values> = (values: T) => Promise<Checked<T>>

/** The state of a form at one time. */
export type FormState<T extends Values> = {
  values: T
  problems: Readonly<Record<string, Problem>>
  /** The error of the whole form. */
  failure: Problem | undefined
  submitting: boolean
  /** The number of submits that have ended, successful or not. */
  submits: number
}

/** The errors of a rejected `onSubmit`: for fields, the first of which gets the focus, or for the whole form. */
export type Refusal = { problems: Readonly<Record<string, Problem>>; failure?: Problem | undefined }

/** The form of a page. The object is the same in all renders. */
export type FormHandle<T extends Values> = {
  read: () => FormState<T>
  /** Calls `listener` after every change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void
  /**
   * Sets the value of one field. After the first submit, also validates it again and shows the problem of this field.
   */
  change: (name: string, value: unknown) => void
  /** Stores the control of a field, which gets the focus on an error. With null, removes it. */
  place: (name: string, control: HTMLElement | null) => void
  focus: (name: string) => void
  /**
   * Validates all fields, and calls `onSubmit` with the accepted values. Shows the errors if `onSubmit` resolves to
   * any. Does nothing while an earlier submit is in progress.
   */
  submit(onSubmit: (values: T) => Promise<Refusal | undefined>): Promise<void>
  /** Validates with these rules from now on. */
  follow(rules: Rules<T>): void
}

/** Splits a name such as `settings.url` into the group and the name inside. */
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

/** Returns the values with one of them changed. */
const withValue = <T extends Values>(values: T, name: string, value: unknown): T => {
  const [group, inner] = parts(name)
  const before = values[group]
  return { ...values, [group]: inner === undefined ? value : { ...(isGroup(before) ? before : {}), [inner]: value } }
}

const without = <T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([each]) => each !== name))

/** Creates a form with its initial values. */
export const createForm = <T extends Values>(values: T, firstRules: Rules<T>): FormHandle<T> => {
  let rules = firstRules
  let state: FormState<T> = { values, problems: {}, failure: undefined, submitting: false, submits: 0 }
  const listeners = new Set<() => void>()
  const controls = new Map<string, HTMLElement>()
  const set = (next: Partial<FormState<T>>): void => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  /** Focuses the field of these that comes first on the page. */
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
    // The values have changed meanwhile: the validation of the later values replaces this one.
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
 * Returns a form that validates with `rules` on submit, and then again on every change. On errors, the first such field
 * gets the focus. Later changes of the initial `values` are ignored; changed rules apply. `useApiForm` creates the
 * rules from a schema.
 */
export const useRuledForm = <T extends Values>(rules: Rules<T>, values: T): FormHandle<T> => {
  const [form] = useState(() => createForm(values, rules))
  useLayoutEffect(() => form.follow(rules), [form, rules])
  return form
}

/** Returns a part of the form's state. `select` must return the same value while nothing in the part has changed. */
export const useFormState = <T extends Values, Part>(
  form: Pick<FormHandle<T>, 'read' | 'subscribe'>,
  choose: (state: FormState<T>) => Part,
): Part => useSyncExternalStore(form.subscribe, () => choose(form.read()))

/**
 * Focuses a field when the form appears, for pages that consist of one form. Only the first `name` counts: a later one
 * must not move the focus while the user types.
 */
export const useFirstField = <T extends Values>(form: FormHandle<T>, name: keyof T & string): void => {
  const [first] = useState<string>(name)
  useEffect(() => {
    // A dialog stores which element had the focus when its effects run, so the focus moves only after that.
    const timer = setTimeout(() => form.focus(first))
    return () => clearTimeout(timer)
  }, [form, first])
}
