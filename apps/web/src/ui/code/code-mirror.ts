// The editor itself, in a separate chunk: `ui/code/code-editor.tsx` loads it when the first editor appears.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'

/** The language of the text. */
export type CodeLanguage = 'json' | 'liquid' | 'sql' | 'text'

/** The options that can change while an editor is shown. */
export type CodeOptions = {
  language: CodeLanguage
  readOnly: boolean
  /** The number of the line that is marked as invalid, starting with 1. */
  mistakeLine: number | undefined
  /** Attributes of the editable element, such as its name and its description. */
  attributes: Readonly<Record<string, string>>
  /** Paths that a template can read; the editor suggests them. */
  variables: readonly string[]
}

export type CodeView = {
  value(): string
  setValue(text: string): void
  configure(options: CodeOptions): void
  focus(): void
  hasFocus(): boolean
  /** Inserts text at the cursor; replaces selected text. */
  insert(text: string): void
  /** Selects a range of the text and scrolls to it; without `to`, places the cursor. */
  select(from: number, to?: number): void
  destroy(): void
}

const colours = tagHighlighter([
  { tag: [tags.propertyName, tags.variableName, tags.tagName, tags.attributeName], class: 'text-code-key' },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue], class: 'text-code-string' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: 'text-code-number' },
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.modifier], class: 'text-accent-ink' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], class: 'text-ink-3 italic' },
  { tag: [tags.brace, tags.processingInstruction], class: 'text-accent-ink' },
])

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'transparent', color: 'var(--color-ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', scrollbarWidth: 'thin' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--color-ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-canvas)',
    borderRight: '1px solid var(--color-line)',
    color: 'var(--color-ink-3)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '34px' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--color-ink) 4%, transparent)' },
  '.cm-mistake': { backgroundColor: 'var(--color-danger-soft) !important' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--color-accent) 25%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--color-active)', outline: 'none' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--color-danger-soft)', outline: 'none' },
  '.cm-placeholder': { color: 'var(--color-ink-3)' },
  '.cm-tooltip': {
    border: '1px solid var(--color-line)',
    borderRadius: '8px',
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-ink)',
    boxShadow: 'var(--shadow-pop)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '12rem', padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', borderRadius: '4px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-hover)',
    color: 'var(--color-ink)',
  },
  '.cm-completionIcon': { display: 'none' },
})

const mistakeMark = Decoration.line({ class: 'cm-mistake' })

/** Computed again for each text: if a line is removed, its mark cannot be mapped to the new text. */
const mistake = (line: number | undefined): Extension =>
  line === undefined
    ? []
    : EditorView.decorations.of(({ state: { doc } }) =>
        line < 1 || line > doc.lines ? Decoration.none : Decoration.set([mistakeMark.range(doc.line(line).from)]),
      )

/** Returns the first names of paths or, if `path` is not empty, the names that follow it. */
const namesBelow = (variables: readonly string[], path: readonly string[]): string[] => {
  const start = path.length === 0 ? '' : `${path.join('.')}.`
  const names = variables
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length).split('.')[0] ?? '')
  return [...new Set(names)]
}

const languageOf = async (language: CodeLanguage, variables: readonly string[]): Promise<Extension> => {
  switch (language) {
    case 'json':
      return (await import('@codemirror/lang-json')).json()
    case 'sql': {
      const { PostgreSQL, sql } = await import('@codemirror/lang-sql')
      return sql({ dialect: PostgreSQL })
    }
    case 'liquid': {
      const { liquid } = await import('@codemirror/lang-liquid')
      const options = (names: readonly string[]) => names.map((label) => ({ label, type: 'variable' }))
      return liquid({
        variables: options(namesBelow(variables, [])),
        properties: (path) => options(namesBelow(variables, path)),
      })
    }
    default:
      return []
  }
}

/**
 * Tab indents. After Escape, Tab leaves the editor, until the next input or until the editor has lost the focus. That
 * Escape is not passed on, so that a window around the editor stays open.
 */
const escapeFreesTab = (): Extension => {
  let leaves = false
  const set = (view: EditorView, next: boolean): void => {
    leaves = next
    view.setTabFocusMode(next)
  }
  return EditorView.domEventHandlers({
    keydown: (event, view) => {
      if (event.key === 'Escape') {
        if (!leaves || completionStatus(view.state) === 'active') event.stopPropagation()
        if (leaves || completionStatus(view.state) === 'active') return false
        set(view, true)
        return true
      }
      if (event.key !== 'Tab' && event.key !== 'Shift') set(view, false)
      return false
    },
    blur: (_event, view) => {
      set(view, false)
      return false
    },
  })
}

/** The extensions that never change. */
const fixed = (): Extension[] => [
  lineNumbers(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentUnit.of('  '),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  highlightActiveLine(),
  syntaxHighlighting(colours),
  // Comes before the keys of the editor, because its Escape removes a selection.
  Prec.high(escapeFreesTab()),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
  look,
]

/** Creates an editor in an element. `onChange` receives typed changes, but not those of `setValue`. */
export const createCodeView = (
  parent: HTMLElement,
  given: { value: string; options: CodeOptions; hint: string; onChange: (text: string) => void },
): CodeView => {
  const parts = {
    language: new Compartment(),
    readOnly: new Compartment(),
    mistake: new Compartment(),
    attributes: new Compartment(),
  }
  let options = given.options
  let reports = true
  let languageKey = ''
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: given.value,
      extensions: [
        ...fixed(),
        placeholder(given.hint),
        parts.language.of([]),
        parts.readOnly.of(EditorState.readOnly.of(options.readOnly)),
        parts.mistake.of([]),
        parts.attributes.of(EditorView.contentAttributes.of({ ...options.attributes })),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && reports) given.onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  const setLanguage = (): void => {
    const key = JSON.stringify([options.language, options.variables])
    if (key === languageKey) return
    languageKey = key
    void languageOf(options.language, options.variables)
      .then((extension) => {
        if (key === languageKey) view.dispatch({ effects: parts.language.reconfigure(extension) })
      })
      // Without its colors, the editor still works.
      .catch(() => undefined)
  }
  const configure = (next: CodeOptions): void => {
    options = next
    view.dispatch({
      effects: [
        parts.readOnly.reconfigure(EditorState.readOnly.of(next.readOnly)),
        parts.mistake.reconfigure(mistake(next.mistakeLine)),
        parts.attributes.reconfigure(
          EditorView.contentAttributes.of({
            ...next.attributes,
            ...(next.readOnly ? { 'aria-readonly': 'true' } : {}),
          }),
        ),
      ],
    })
    setLanguage()
  }
  configure(options)
  return {
    value: () => view.state.doc.toString(),
    setValue: (text) => {
      reports = false
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
      reports = true
    },
    configure,
    focus: () => view.focus(),
    hasFocus: () => view.hasFocus,
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true, userEvent: 'input.paste' })
      view.focus()
    },
    select: (from, to = from) => {
      const end = view.state.doc.length
      view.dispatch({
        selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
        effects: EditorView.scrollIntoView(Math.min(from, end), { y: 'center' }),
      })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}
