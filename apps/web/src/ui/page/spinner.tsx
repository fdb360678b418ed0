import { cn } from '../cn.ts'

const sizes = { xs: 'size-3', sm: 'size-3.5', md: 'size-4', lg: 'size-6', xl: 'size-9' } as const
export type SpinnerSize = keyof typeof sizes
export const spinnerSizes = Object.keys(sizes) as readonly SpinnerSize[]

/**
 * A turning ring. With a label, screen readers announce that something is loading. Without a label, it is decoration
 * beside a text.
 */
export const Spinner = ({
  size = 'md',
  label,
  className,
}: {
  size?: SpinnerSize
  label?: string
  className?: string
}) => (
  <span role={label === undefined ? undefined : 'status'} className={cn('inline-flex', className)}>
    <svg viewBox="0 0 16 16" aria-hidden className={cn('animate-spin', sizes[size])}>
      <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeOpacity=".25" strokeWidth="2" />
      <path
        d="M14.25 8A6.25 6.25 0 0 0 8 1.75"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
    {label !== undefined && <span className="sr-only">{label}</span>}
  </span>
)
