import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { cn } from '../cn.ts'
import type { CodeLanguage, CodeOptions, CodeView } from './code-mirror.ts'

/** The operations on an editor from outside. */
export type CodeHandle = {
  focus(): void
  /** Inserts text at the cursor as if the user had typed it: the user can undo it. */
  insert(text: string): void
  /** Selects a range of the text and scrolls to it; without `to`, places the cursor. */
  select(from: number, to?: number): void
}

type Module = typeof import('./code-mirror.ts')

let module: Module | undefined

/** Loads the chunk of the editor. Returns undefined if that fails; the next editor tries again. */
const load = async (): Promise<Module | undefined> => {
  try {
    module ??= await import('./code-mirror.ts')
  } catch {
    return undefined
  }
  return module
}

/** Loads the editor in advance, on pages that are likely to show one. */
export const preloadCodeEditor = (): void => void load()

/** Inserts text at the cursor of the focused element, as if the user typed it. */
const typeText = (text: string): void => {
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
}

type Props = {
  ref?: Ref<CodeHandle>
  /** Connects the editor with a label elsewhere: `<label id="{id}-label" for="{id}">`. */
  id?: string
  /** The accessible name, if no such label exists. */
  label?: string
  value: string
  onChange?: (value: string) => void
  language: CodeLanguage
  readOnly?: boolean
  /** Marks the whole text as invalid. */
  invalid?: boolean
  /** The number of the line that is marked as invalid, starting with 1. */
  mistakeLine?: number | undefined
  describedBy?: string | undefined
  /** Names that a template can read; the editor suggests them. */
  variables?: readonly string[]
  /** Shown while the text is empty. */
  hint?: string
  className?: string
}

const noVariables: readonly string[] = []

const attributesOf = ({
  id,
  label,
  invalid,
  mistakeLine,
  describedBy,
}: Pick<Props, 'id' | 'label' | 'invalid' | 'mistakeLine' | 'describedBy'>): Record<string, string> => ({
  ...(id === undefined ? {} : { id, 'aria-labelledby': `${id}-label` }),
  ...(label === undefined ? {} : { 'aria-label': label }),
  ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
  ...(invalid === true || mistakeLine !== undefined ? { 'aria-invalid': 'true' } : {}),
  tabindex: '0',
  spellcheck: 'false',
  autocapitalize: 'off',
})

/** A plain text field, shown until the chunk of the editor is loaded, or if it cannot be loaded. */
const PlainArea = ({
  ref,
  id,
  label,
  value,
  onChange,
  readOnly = false,
  invalid = false,
  mistakeLine,
  describedBy,
  hint,
}: Omit<Props, 'ref' | 'language' | 'variables' | 'className'> & { ref: Ref<HTMLTextAreaElement> }) => (
  <textarea
    ref={ref}
    id={id}
    aria-label={label}
    aria-describedby={describedBy}
    aria-invalid={invalid || mistakeLine !== undefined ? true : undefined}
    value={value}
    readOnly={readOnly}
    placeholder={hint}
    wrap="off"
    spellCheck={false}
    autoCapitalize="off"
    autoComplete="off"
    className="h-full w-full min-w-0 resize-none overflow-auto scroll-thin bg-transparent px-3 py-3 whitespace-pre text-ink outline-none"
    onChange={(event) => onChange?.(event.currentTarget.value)}
  />
)

/** Returns the loaded editor, and the cursor of the plain field, which the editor adopts if the user is typing. */
const useModule = (plain: RefObject<HTMLTextAreaElement | null>) => {
  const [loaded, setLoaded] = useState(module)
  const cursor = useRef<{ from: number; to: number } | undefined>(undefined)
  useEffect(() => {
    if (loaded !== undefined) return
    let gone = false
    void load().then((found) => {
      if (gone || found === undefined) return
      const area = plain.current
      if (area !== null && document.activeElement === area)
        cursor.current = { from: area.selectionStart, to: area.selectionEnd }
      setLoaded(found)
    })
    return () => {
      gone = true
    }
  }, [loaded, plain])
  return { loaded, cursor }
}

/** Focuses the editor on a click on its label. A browser would do this only for a form control. */
const useLabelFocus = (id: string | undefined, view: RefObject<CodeView | undefined>, isLoaded: boolean): void =>
  useEffect(() => {
    const label = id === undefined || !isLoaded ? null : document.getElementById(`${id}-label`)
    const focus = (): void => view.current?.focus()
    label?.addEventListener('click', focus)
    return () => label?.removeEventListener('click', focus)
  }, [id, view, isLoaded])

/**
 * A field for code with colors and line numbers. Tab indents; after Escape, Tab leaves the editor, as everywhere else.
 * If the editor cannot be loaded, a plain text field replaces it.
 */
export const CodeEditor = (props: Props) => {
  const {
    ref,
    id,
    value,
    onChange,
    language,
    readOnly = false,
    mistakeLine,
    invalid = false,
    hint = '',
    className,
  } = props
  const variables = props.variables ?? noVariables
  const host = useRef<HTMLDivElement>(null)
  const plain = useRef<HTMLTextAreaElement>(null)
  const view = useRef<CodeView | undefined>(undefined)
  const { loaded, cursor } = useModule(plain)
  const attributes = attributesOf(props)
  const options: CodeOptions = { language, readOnly, mistakeLine, attributes, variables }
  const optionsKey = JSON.stringify(options)
  // The editor is created only once, and always uses the latest values of these props.
  const latest = useRef({ value, onChange, options, hint })
  useEffect(() => {
    latest.current = { value, onChange, options, hint }
  })

  useEffect(() => {
    if (loaded === undefined || host.current === null) return
    const made = loaded.createCodeView(host.current, {
      value: latest.current.value,
      options: latest.current.options,
      hint: latest.current.hint,
      onChange: (text) => latest.current.onChange?.(text),
    })
    view.current = made
    if (cursor.current !== undefined) made.select(cursor.current.from, cursor.current.to)
    cursor.current = undefined
    return () => {
      view.current = undefined
      made.destroy()
    }
  }, [loaded, cursor])

  useEffect(() => {
    if (view.current !== undefined && view.current.value() !== value) view.current.setValue(value)
  }, [value])
  // oxlint-disable-next-line react/exhaustive-deps -- compares the options by content, not by identity
  useEffect(() => view.current?.configure(latest.current.options), [optionsKey, loaded])

  useLabelFocus(id, view, loaded !== undefined)

  useImperativeHandle(
    ref,
    (): CodeHandle => ({
      focus: () => (view.current ?? plain.current)?.focus(),
      insert: (text) => {
        if (view.current !== undefined) return view.current.insert(text)
        plain.current?.focus()
        typeText(text)
      },
      select: (from, to = from) => {
        if (view.current !== undefined) return view.current.select(from, to)
        plain.current?.focus()
        plain.current?.setSelectionRange(from, to)
      },
    }),
    [],
  )

  return (
    <div
      ref={host}
      className={cn(
        'flex h-[min(28rem,50dvh)] min-w-0 flex-col overflow-hidden rounded-lg border bg-code font-mono text-xs leading-5 focus-within:outline-2 focus-within:outline-accent/35',
        mistakeLine === undefined && !invalid ? 'border-line focus-within:border-accent' : 'border-danger',
        className,
      )}
    >
      {loaded === undefined && <PlainArea {...props} ref={plain} />}
    </div>
  )
}
