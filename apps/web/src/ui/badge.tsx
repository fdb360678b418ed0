import { cva, type VariantProps } from 'class-variance-authority'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'

const style = cva('inline-flex h-5 items-center gap-1 rounded-full px-2 text-2xs font-medium whitespace-nowrap', {
  variants: {
    tone: {
      neutral: 'bg-hover text-ink-2',
      accent: 'bg-accent-soft text-accent-ink',
      success: 'bg-success-soft text-success-ink',
      warning: 'bg-warning-soft text-warning-ink',
      danger: 'bg-danger-soft text-danger-ink',
      outline: 'border border-line-strong text-ink-2',
    },
  },
  defaultVariants: { tone: 'neutral' },
})

export type BadgeTone = NonNullable<VariantProps<typeof style>['tone']>

/** A short state or count. `dot` adds a filled circle in the color of the tone. */
export const Badge = ({
  tone,
  dot = false,
  className,
  children,
  title,
}: {
  tone?: BadgeTone
  dot?: boolean
  className?: string
  children: ReactNode
  title?: string
}) => (
  <span className={cn(style({ tone }), className)} title={title}>
    {dot && <span aria-hidden className="size-1.5 rounded-full bg-current" />}
    {children}
  </span>
)
