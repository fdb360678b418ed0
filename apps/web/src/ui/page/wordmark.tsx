import { cn } from '../cn.ts'

/** The product's mark: two streams that join a river. */
export const Mark = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden className={cn('size-6', className)}>
    <rect width="32" height="32" rx="8" className="fill-accent" />
    <path
      d="M8 7c0 8 8 6 8 14v4M24 7c0 8-8 6-8 14M16 7v9"
      fill="none"
      stroke="#fff"
      strokeWidth="2.6"
      strokeLinecap="round"
    />
  </svg>
)

/** The mark with the product's name. */
export const Wordmark = () => (
  <span className="flex items-center gap-2 text-lg font-semibold tracking-tight">
    <Mark />
    Tributary
  </span>
)
