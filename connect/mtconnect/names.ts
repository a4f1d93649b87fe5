/** Converts the name of an element to a type: `PathFeedrate` to PATH_FEEDRATE; a prefix stays. */
export function typeOfElement(element: string): string {
  const colon = element.indexOf(':') + 1
  const words = element
    .slice(colon)
    .replace('MTConnect', 'Mtconnect')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
  return element.slice(0, colon) + words.toUpperCase()
}

/** Returns the value of an attribute in an array of names and values; '' if it is missing. */
export function attributeOf(attributes: readonly string[], name: string): string {
  for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1] ?? ''
  return ''
}
