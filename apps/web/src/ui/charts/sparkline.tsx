import { cn } from '../cn.ts'

/**
 * A row of small bars, oldest first, each as high as its share of the maximum (or of `top`). It contains no text: the
 * elements beside it, or `label`, give the meaning.
 */
export const Sparkline = ({
  values,
  top,
  label,
  className,
}: {
  values: readonly number[]
  top?: number
  label?: string
  className?: string
}) => {
  const highest = top ?? Math.max(1, ...values)
  return (
    <span
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      className={cn('inline-flex h-5 items-end gap-px', className)}
    >
      {values.map((value, index) => (
        <span
          // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
          key={index}
          className={cn('w-1.5 rounded-t-xs', value > 0 ? 'bg-accent' : 'bg-line-strong')}
          style={{ height: value > 0 ? `${Math.max(10, Math.min(100, (value / highest) * 100))}%` : '2px' }}
        />
      ))}
    </span>
  )
}
