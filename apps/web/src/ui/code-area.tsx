import { type KeyboardEvent, type Ref, useMemo, useRef } from 'react'
import { cn } from './cn.ts'

const lineHeight = 20

/** Writes text where the cursor is in what has the focus, as if it were typed: it can be undone. */
export const typeText = (text: string): void => {
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
}

/** Indents the chosen lines, or takes two spaces back from each. */
const indent = (area: HTMLTextAreaElement, back: boolean): void => {
  const { value, selectionStart: from, selectionEnd: to } = area
  if (!back && from === to) return typeText('  ')
  const start = value.lastIndexOf('\n', from - 1) + 1
  const lines = value.slice(start, to)
  const changed = back ? lines.replaceAll(/^ {1,2}/gm, '') : lines.replaceAll(/^/gm, '  ')
  if (changed === lines) return
  area.setSelectionRange(start, to)
  typeText(changed)
  area.setSelectionRange(start, start + changed.length)
}

/** What indents the line that the cursor is in, and one step more after an opening bracket. */
const nextIndent = ({ value, selectionStart }: HTMLTextAreaElement): string => {
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart)
  const own = /^ */.exec(line)?.[0] ?? ''
  return /[{[]\s*$/.test(line) ? `${own}  ` : own
}

/**
 * A text area for code with numbers of its lines. Tab indents and Enter keeps the indent; after Escape, Tab leaves it
 * once, as everywhere.
 */
export const CodeArea = ({
  ref,
  id,
  label,
  value,
  onChange,
  readOnly = false,
  invalid = false,
  mistakeLine,
  describedBy,
  className,
}: {
  ref?: Ref<HTMLTextAreaElement>
  /** Ties it to a label that stands elsewhere. */
  id?: string
  /** Its name where no such label is. */
  label?: string
  value: string
  onChange?: (value: string) => void
  readOnly?: boolean
  /** Marks all of it as wrong. */
  invalid?: boolean
  /** The line that is marked as the one with a mistake, from 1. */
  mistakeLine?: number | undefined
  describedBy?: string | undefined
  className?: string
}) => {
  const gutter = useRef<HTMLDivElement>(null)
  const leaves = useRef(false)
  const lines = useMemo(() => value.split('\n').length, [value])
  const numbers = useMemo(() => Array.from({ length: lines }, (_, index) => index + 1).join('\n'), [lines])

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === 'Escape' && !leaves.current) {
      // The first Escape frees the Tab key; only the next one closes the window.
      leaves.current = true
      event.nativeEvent.stopPropagation()
      event.stopPropagation()
      return
    }
    if (event.key === 'Tab' && !leaves.current && !readOnly) {
      event.preventDefault()
      indent(event.currentTarget, event.shiftKey)
    } else if (event.key === 'Enter' && !readOnly && !event.nativeEvent.isComposing) {
      event.preventDefault()
      typeText(`\n${nextIndent(event.currentTarget)}`)
    }
    if (event.key !== 'Shift' && event.key !== 'Tab') leaves.current = false
  }

  return (
    <div
      className={cn(
        'flex h-[min(28rem,50dvh)] overflow-hidden rounded-lg border bg-code font-mono text-xs leading-5 focus-within:outline-2 focus-within:outline-accent/35',
        mistakeLine === undefined && !invalid ? 'border-line focus-within:border-accent' : 'border-danger',
        className,
      )}
    >
      <div
        ref={gutter}
        aria-hidden
        className="relative shrink-0 overflow-hidden border-r border-line bg-canvas py-3 pr-2 pl-3 text-right whitespace-pre text-ink-3 select-none"
      >
        {mistakeLine !== undefined && (
          <span
            className="absolute inset-x-0 bg-danger-soft"
            style={{ top: 12 + (mistakeLine - 1) * lineHeight, height: lineHeight }}
          />
        )}
        <span className="relative">{numbers}</span>
        {/* As high as the text with its scrollbar, so that both scroll alike to the end. */}
        <span className="block h-8" />
      </div>
      <textarea
        ref={ref}
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={mistakeLine === undefined && !invalid ? undefined : true}
        value={value}
        readOnly={readOnly}
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        className="h-full w-full min-w-0 resize-none overflow-auto scroll-thin bg-transparent px-3 py-3 whitespace-pre text-ink outline-none"
        onChange={(event) => onChange?.(event.currentTarget.value)}
        onBlur={() => {
          leaves.current = false
        }}
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop
        }}
      />
    </div>
  )
}
