import { cva, type VariantProps } from 'class-variance-authority'
import { ExternalLink } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Link, type LinkProps } from 'react-router'
import { cn } from './cn.ts'
import { Spinner } from './page/spinner.tsx'

export const buttonVariants = [
  'primary',
  'secondary',
  'inverse',
  'danger',
  'success',
  'warning',
  'none',
  'link',
] as const
export const buttonSizes = ['xs', 'sm', 'md', 'lg'] as const

const style = cva(
  'relative inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-on-accent shadow-card hover:not-disabled:bg-accent-hover',
        secondary: 'border border-line-strong bg-surface text-ink shadow-card hover:not-disabled:bg-hover',
        inverse: 'bg-ink text-ink-inverse shadow-card hover:not-disabled:bg-ink-2',
        danger: 'bg-danger text-white shadow-card hover:not-disabled:bg-danger-hover',
        success: 'bg-success text-white shadow-card hover:not-disabled:bg-success-hover',
        warning: 'bg-warning text-on-warning shadow-card hover:not-disabled:bg-warning-hover',
        none: 'text-ink-2 hover:not-disabled:bg-hover hover:not-disabled:text-ink',
        link: 'rounded-sm text-accent-ink underline-offset-3 hover:not-disabled:underline',
      },
      size: {
        xs: 'h-6 px-2 text-xs [&_svg]:size-3.5',
        sm: 'h-7 px-2.5 text-xs [&_svg]:size-3.5',
        md: 'h-8 px-3 text-sm [&_svg]:size-4',
        lg: 'h-10 px-4 text-base [&_svg]:size-4.5',
      },
      square: { true: 'px-0', false: '' },
    },
    compoundVariants: [
      { square: true, size: 'xs', class: 'w-6' },
      { square: true, size: 'sm', class: 'w-7' },
      { square: true, size: 'md', class: 'w-8' },
      { square: true, size: 'lg', class: 'w-10' },
      { variant: 'link', class: 'h-auto px-0' },
    ],
    defaultVariants: { variant: 'secondary', size: 'md', square: false },
  },
)

type Look = VariantProps<typeof style>

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Look & { loading?: boolean; children?: ReactNode; ref?: Ref<HTMLButtonElement> }

/** A button. While loading, it shows a spinner instead of its text, keeps its width, and ignores clicks. */
export const Button = ({
  variant,
  size,
  square,
  loading = false,
  disabled,
  className,
  children,
  type,
  ...rest
}: ButtonProps) => (
  <button
    type={type ?? 'button'}
    disabled={disabled === true || loading}
    aria-busy={loading || undefined}
    className={cn(style({ variant, size, square }), className)}
    {...rest}
  >
    {loading && (
      <span className="absolute inset-0 grid place-items-center">
        <Spinner size={size === 'lg' ? 'md' : 'sm'} label="Working" />
      </span>
    )}
    <span className={cn('inline-flex items-center gap-1.5', loading && 'invisible')}>{children}</span>
  </button>
)

/** A link that looks like a button. For keyboard, middle click and screen readers it is a link. */
export const ButtonLink = ({ variant, size, square, className, ...rest }: LinkProps & Look) => (
  <Link className={cn(style({ variant, size, square }), className)} {...rest} />
)

/** A link to another site that looks like a button; opens in a new tab and says so to screen readers. */
export const ExternalButton = ({ href, children, variant, size }: { href: string; children: ReactNode } & Look) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className={cn(style({ variant, size }))}>
    {children}
    <ExternalLink aria-hidden />
    <span className="sr-only">(opens in a new tab)</span>
  </a>
)
