/** The picture of the catalogue: three joined hooks. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"><path d="M21 19.5 13.5 32" stroke="#c73a63"/><path d="M29.5 13.5A8.5 8.5 0 1 0 20 21" stroke="#c73a63"/><path d="m24 15 7.5 12.5" stroke="#4b4b4b"/><path d="M28.5 31.5a8.5 8.5 0 1 0 5-4.5" stroke="#4b4b4b"/><path d="M14 24.5A8.5 8.5 0 1 0 21.5 34H34" stroke="#49a9c8"/></svg>
`
