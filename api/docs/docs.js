window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  // Nothing of what is read here goes elsewhere.
  validatorUrl: null,
  persistAuthorization: false,
})
