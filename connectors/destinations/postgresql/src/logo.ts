/** The picture of the catalogue: a table's cylinder with an ear of an elephant. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="M8 12v24c0 3.9 7.2 7 16 7s16-3.1 16-7V12" fill="#336791" stroke="#244a68" stroke-width="2"/><ellipse cx="24" cy="12" rx="16" ry="7" fill="#5b8fb9" stroke="#244a68" stroke-width="2"/><path d="M8 20c0 3.9 7.2 7 16 7s16-3.1 16-7M8 28c0 3.9 7.2 7 16 7s16-3.1 16-7" stroke="#fff" stroke-opacity=".75" stroke-width="2"/></svg>
`
