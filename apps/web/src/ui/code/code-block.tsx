import { type ReactNode, useState } from 'react'
import { cn } from '../cn.ts'
import { scrollable } from '../scrollable.ts'
import { CopyButton } from './copy-button.tsx'

/** Also matches a text whose closing quote is missing, so that the search takes linear time. */
const token = /("(?:\\.|[^"\\])*"?)(\s*:)?|(-?\b\d[\d.eE+-]*\b|\b(?:true|false|null)\b)/g

/** Colors the keys, texts and numbers in JSON text. Any other text is returned unchanged. */
const highlight = (text: string): ReactNode[] => {
  const parts: ReactNode[] = []
  let from = 0
  for (const match of text.matchAll(token)) {
    const [all, string, colon, scalar] = match
    if (match.index > from) parts.push(text.slice(from, match.index))
    const tone = scalar !== undefined ? 'text-code-number' : colon === undefined ? 'text-code-string' : 'text-code-key'
    parts.push(
      <span key={match.index} className={tone}>
        {string ?? all}
      </span>,
    )
    if (colon !== undefined) parts.push(colon)
    from = match.index + all.length
  }
  parts.push(text.slice(from))
  return parts
}

export type Code = { title: string; language: string; text: string }

const Lines = ({ code, className, label }: { code: Code; className?: string; label: string }) => (
  <pre
    {...scrollable}
    aria-label={label}
    className={cn('overflow-auto scroll-thin px-4 py-3 font-mono text-xs leading-5 text-ink', className)}
  >
    <code>{code.language === 'json' && code.text.length < 200_000 ? highlight(code.text) : code.text}</code>
  </pre>
)

/** Read-only code with a copy button. Several entries have one tab each. */
export const CodeBlock = ({
  codes,
  notice = 'Copied',
  copyLabel,
  label = 'Language',
  className,
}: {
  codes: readonly Code[]
  notice?: string
  copyLabel?: string
  /** The label of the tabs, which describes the choice between the entries. */
  label?: string
  className?: string
}) => {
  const [chosen, setChosen] = useState(0)
  const code = codes[chosen] ?? codes[0]
  if (code === undefined) return null
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-code">
      <div className="flex h-10 items-center gap-1 border-b border-line bg-canvas pr-1.5 pl-2">
        {codes.length === 1 ? (
          <span className="flex-1 truncate px-2 text-xs text-ink-3">{code.title}</span>
        ) : (
          <fieldset aria-label={label} className="flex min-w-0 flex-1 gap-1 overflow-x-auto [scrollbar-width:none]">
            {codes.map((entry, index) => (
              <button
                key={entry.title}
                type="button"
                aria-pressed={entry === code}
                onClick={() => setChosen(index)}
                className={cn(
                  'h-6 shrink-0 rounded-sm px-2 text-xs font-medium',
                  entry === code ? 'bg-active text-ink' : 'text-ink-2 hover:bg-hover',
                )}
              >
                {entry.title}
              </button>
            ))}
          </fieldset>
        )}
        <CopyButton
          text={code.text}
          name={`Copy ${code.title}`}
          notice={notice}
          {...(copyLabel === undefined ? {} : { label: copyLabel })}
        />
      </div>
      <Lines code={code} label={code.title} {...(className === undefined ? {} : { className })} />
    </div>
  )
}
