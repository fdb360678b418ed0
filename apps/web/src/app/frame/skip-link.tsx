import type { RefObject } from 'react'

/** The first stop of the Tab key: jumps over the navigation to the content. */
export const SkipLink = ({ content }: { content: RefObject<HTMLElement | null> }) => (
  <a
    href="#content"
    onClick={(event) => {
      // The tabs of the page use the hash of the URL.
      event.preventDefault()
      content.current?.focus()
    }}
    className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
  >
    Skip to content
  </a>
)
