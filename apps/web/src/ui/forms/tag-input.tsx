import { X } from 'lucide-react'
import { type KeyboardEvent, type Ref, useRef, useState } from 'react'
import type { FieldControl } from './field.tsx'

/** The effect of a key on a tag input: a new list of tags, or undefined for other keys. */
export const afterKey = (key: string, text: string, tags: readonly string[]): readonly string[] | undefined => {
  const tag = text.trim()
  if (key === 'Enter' || key === 'Tab') return tag === '' ? undefined : [...tags, tag]
  return key === 'Backspace' && text === '' && tags.length > 0 ? tags.slice(0, -1) : undefined
}

/**
 * An input for a list of texts. Tab and Enter add the typed text; Backspace in the empty input removes the last one.
 * Any number of texts is allowed, including duplicates. Leaving the input adds nothing, because a new tag would move
 * the button that the user is clicking.
 */
export const TagInput = ({
  value,
  onChange,
  control,
  placeholder,
  disabled = false,
  ref,
}: {
  value: readonly string[]
  onChange: (value: readonly string[]) => void
  control: FieldControl
  placeholder?: string
  disabled?: boolean
  ref?: Ref<HTMLInputElement>
}) => {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement | null>(null)
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.shiftKey) return
    const next = afterKey(event.key, text, value)
    if (next === undefined) return
    event.preventDefault()
    setText('')
    onChange(next)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a click beside the tags goes to the input
    <div
      className="flex min-h-8 w-full cursor-text flex-wrap items-center gap-1 rounded-md border border-field-line bg-surface px-1.5 py-1 text-base shadow-card hover:border-ink-3 has-focus-visible:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent/35 has-disabled:cursor-not-allowed has-disabled:bg-sunken has-aria-invalid:border-danger has-aria-invalid:has-focus-visible:outline-danger/35"
      onMouseDown={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        input.current?.focus()
      }}
    >
      {value.map((tag, index) => (
        <span
          // oxlint-disable-next-line react/no-array-index-key -- the same tag may stand twice
          key={`${index} ${tag}`}
          className="inline-flex max-w-full items-center gap-0.5 rounded-sm bg-hover py-0.5 pl-1.5 text-sm text-ink"
        >
          <span className="truncate" title={tag}>
            {tag}
          </span>
          <button
            type="button"
            aria-label={`Remove ${tag}`}
            disabled={disabled}
            onClick={() => {
              onChange(value.filter((_, other) => other !== index))
              input.current?.focus()
            }}
            className="grid size-5 shrink-0 place-items-center rounded-sm text-ink-3 hover:text-ink"
          >
            <X aria-hidden className="size-3" />
          </button>
        </span>
      ))}
      <input
        {...control}
        ref={(element) => {
          input.current = element
          if (typeof ref === 'function') ref(element)
          else if (ref !== undefined && ref !== null) ref.current = element
        }}
        value={text}
        disabled={disabled}
        placeholder={value.length === 0 ? placeholder : undefined}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        className="min-w-24 flex-1 bg-transparent px-1 text-ink outline-none placeholder:text-ink-3 max-sm:text-lg"
      />
    </div>
  )
}
