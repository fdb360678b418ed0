import { ChevronDown, Eye, EyeOff, Search } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useState,
} from 'react'
import { cn } from '../cn.ts'

const box =
  'w-full rounded-md border border-field-line bg-surface text-base text-ink shadow-card transition-colors placeholder-shown:text-ellipsis placeholder:text-ink-3 hover:border-ink-3 focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent/35 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-3 aria-invalid:border-danger aria-invalid:focus-visible:outline-danger/35 max-sm:text-lg'

export type InputProps = InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }

/** One line of text. */
export const Input = ({ className, ...rest }: InputProps) => (
  <input className={cn(box, 'h-8 px-2.5 read-only:bg-sunken', className)} {...rest} />
)

/** A secret that can be revealed and hidden again. */
export const PasswordInput = ({ className, ...rest }: InputProps) => {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <span className="relative block">
      <Input {...rest} type={shown ? 'text' : 'password'} spellCheck={false} className={cn('pr-9', className)} />
      <button
        type="button"
        aria-label={shown ? 'Hide' : 'Show'}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-md text-ink-3 hover:text-ink"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </span>
  )
}

/** An amount of dollars. */
export const PriceInput = ({ className, ...rest }: InputProps) => (
  <span className="relative block">
    <span
      aria-hidden
      className="pointer-events-none absolute inset-y-0 left-2.5 grid place-items-center text-base text-ink-3 max-sm:text-lg"
    >
      $
    </span>
    <Input inputMode="decimal" min={0} step="0.01" {...rest} type="number" className={cn('pl-6 tabular', className)} />
  </span>
)

/** A search box. `label` names what is searched. */
export const SearchInput = ({ label, className, ...rest }: InputProps & { label: string }) => (
  <span className={cn('relative block w-full sm:w-64', className)}>
    <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3" />
    <Input type="search" aria-label={label} placeholder={label} className="pl-8" {...rest} />
  </span>
)

export type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & { ref?: Ref<HTMLSelectElement> }

/** A select box of the platform, so that it works with every keyboard, screen reader and phone. */
export const Select = ({ className, children, ...rest }: SelectProps) => (
  <span className={cn('relative block', className)}>
    <select className={cn(box, 'h-8 appearance-none pr-8 pl-2.5')} {...rest}>
      {children}
    </select>
    <ChevronDown
      aria-hidden
      className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-ink-3"
    />
  </span>
)

/** Several lines of text. */
export const Textarea = ({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) => (
  <textarea rows={4} className={cn(box, 'block px-2.5 py-1.5 read-only:bg-sunken', className)} {...rest} />
)
