import { createElement, Fragment, type ReactNode, useMemo } from 'react'
import { type MarkupNode, parseMarkup } from '../../lib/format/markup.ts'
import { cn } from '../cn.ts'

const classes: Partial<Record<Exclude<MarkupNode, string>['tag'], string>> = {
  ul: 'list-disc space-y-0.5 pl-5',
  ol: 'list-decimal space-y-0.5 pl-5',
  strong: 'font-semibold',
  code: 'rounded-sm bg-ink/8 px-1 font-mono text-[0.92em]',
  a: 'rounded-sm text-accent-ink underline underline-offset-2',
}

const elementOf = (node: MarkupNode): ReactNode => {
  if (typeof node === 'string') return node
  const { tag } = node
  if (tag === 'br') return createElement('br')
  const link = tag === 'a' ? { href: node.href, target: '_blank', rel: 'nofollow noopener' } : {}
  return createElement(tag, { className: classes[tag], ...link }, ...node.children.map(elementOf))
}

/**
 * Shows a description or help text of servers and catalogs in light markup: paragraphs, line breaks, bold, italics,
 * code, links, lists. Its size and color are those of the surrounding text.
 */
export const Markup = ({ text, className }: { text: string; className?: string }) => {
  const nodes = useMemo(() => parseMarkup(text), [text])
  return (
    <div className={cn('space-y-2 break-words', className)}>
      {createElement(Fragment, null, ...nodes.map(elementOf))}
    </div>
  )
}
