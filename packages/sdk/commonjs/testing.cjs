module.exports = require("../dist/testing/index.js");
